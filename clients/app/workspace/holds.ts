import type { Network } from '#domain/network.ts';
import { useServerQuery } from '../server/queries.ts';
import { useWorkspace } from './workspace.ts';

/** What keeps Posts of the Workspace back. */
export interface ShownHold {
  readonly network: Network | null;
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
  readonly by: string;
  /** Owners can release it. */
  readonly isOurs: boolean;
  /** Crier was restored from a backup, and waits for the people who run it. */
  readonly isRestore: boolean;
  /** Variants that wait for its end. */
  readonly waiting: number;
}

const LOOK_AGAIN_MS = 30_000;

/** Empty also while it is not known yet. Others hold and release too, so it is asked for again and again. */
export function useHolds(): readonly ShownHold[] {
  const { id: workspaceId } = useWorkspace();
  const { data } = useServerQuery(
    (from) => from.publishing.status,
    { workspaceId },
    { refetchInterval: LOOK_AGAIN_MS },
  );
  return data?.held ?? [];
}
