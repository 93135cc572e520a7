import { TRPCError } from '@trpc/server';
import type { Network } from '#domain/network.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import { makeApiKey } from '#use-cases/api-key.ts';
import type { AdminCaller } from './router.ts';

/** The record of the demo Workspace between starts. It holds an API key, so store it as a secret. */
export interface DemoMemory {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly credited: boolean;
  readonly keyed: boolean;
  /** By Network. A Channel that its owner disconnected stays here, and is not made again. */
  readonly channels: Readonly<Partial<Record<Network, string>>>;
}

/** Where the record is kept. `save` replaces it whole, and it is durable when `save` resolves. */
export interface DemoFile {
  load(): Promise<DemoMemory | null>;
  save(memory: DemoMemory): Promise<void>;
}

/** The demo Workspace as the ready file shows it. */
export type Demo = Pick<DemoMemory, 'workspaceId' | 'memberId' | 'apiKey' | 'channels'>;

export interface DemoOptions {
  readonly caller: AdminCaller;
  /** Networks that the sandbox simulates. */
  readonly networks: readonly Network[];
  readonly file: DemoFile;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
  /** A Network refused the sign-in: the demo has no Channel there, until a later start gets one. */
  readonly onRefused: (network: Network, message: string) => void;
}

/** Of the account that owns the demo Workspace. */
export const DEMO_EMAIL = 'demo@example.test';

const WORKSPACE = {
  name: 'Demo',
  ownerEmail: DEMO_EMAIL,
  ownerName: 'Demo owner',
  plan: 'agency',
  emailVerified: true,
} as const;
const CREDITS = 1_000;

/**
 * The demo Workspace: made at the first start, completed at later ones. Its ids are chosen and saved before anything is
 * made, and each step first reads what exists: a crash between any two steps leaves nothing double and nothing unknown.
 * Rejects with the errors of the procedures; it may then be called again.
 */
export async function ensureDemo({ caller, networks, file, ids, clock, onRefused }: DemoOptions): Promise<Demo> {
  const remembered = await file.load();
  let memory = remembered ?? newMemory(ids, clock.now());
  const remember = async (more: Partial<DemoMemory>): Promise<void> => {
    memory = { ...memory, ...more };
    await file.save(memory);
  };
  if (isComplete(memory, networks)) return shown(memory);
  if (remembered === null) await remember({});

  const { workspaceId, memberId, keyId, apiKey } = memory;
  // Succeeds at once when the Workspace exists. The command passes through the Workspace's mailbox behind commands of
  // an earlier start, so that the state that is read next includes their results.
  await caller.workspaces.create({ ...WORKSPACE, workspaceId, memberId });
  const workspace = await caller.workspaces.get({ workspaceId });
  if (!memory.credited) {
    const missing = CREDITS - workspace.xCredits.available - workspace.xCredits.reserved;
    if (missing > 0) await caller.workspaces.addCredits({ workspaceId, credits: missing });
    await remember({ credited: true });
  }
  if (!memory.keyed) {
    if (!workspace.keys.some((key) => key.keyId === keyId))
      await caller.keys.create({
        workspaceId,
        memberId,
        name: 'Demo key',
        permissions: [...PERMISSIONS],
        keyId,
        apiKey,
      });
    await remember({ keyed: true });
  }
  const connected = async (network: Network): Promise<string | null> => {
    try {
      return (await caller.channels.connectSandbox({ workspaceId, network, name: `Demo ${network}` })).channelId;
    } catch (error) {
      if (!(error instanceof TRPCError) || error.code !== 'UNPROCESSABLE_CONTENT') throw error;
      onRefused(network, error.message);
      return null;
    }
  };
  for (const network of networks) {
    if (memory.channels[network] !== undefined) continue;
    const there = workspace.channels.find(
      (channel) => channel.network === network && channel.state !== 'not_connected',
    );
    const channelId = there?.channelId ?? (await connected(network));
    if (channelId !== null) await remember({ channels: { ...memory.channels, [network]: channelId } });
  }
  return shown(memory);
}

function newMemory(ids: Ids, now: number): DemoMemory {
  return {
    workspaceId: ids.uuid7(now),
    memberId: ids.uuid7(now),
    keyId: ids.uuid7(now),
    apiKey: makeApiKey(ids),
    credited: false,
    keyed: false,
    channels: {},
  };
}

function isComplete({ credited, keyed, channels }: DemoMemory, networks: readonly Network[]): boolean {
  return credited && keyed && networks.every((network) => channels[network] !== undefined);
}

function shown({ workspaceId, memberId, apiKey, channels }: DemoMemory): Demo {
  return { workspaceId, memberId, apiKey, channels };
}
