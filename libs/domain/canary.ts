import type { Network } from './network.ts';

/** What a Post of the canary passes through, in order: each is where the way of Posts may be broken. */
export const CANARY_STAGES = ['accepted', 'due', 'published', 'told'] as const;
export type CanaryStage = (typeof CANARY_STAGES)[number];

/**
 * The Networks of the canary's Channels: those that take a Post without files and without credits. No attempt at them
 * leaves the process.
 */
export const CANARY_NETWORKS = ['facebook', 'threads'] as const satisfies readonly Network[];
type CanaryNetwork = (typeof CANARY_NETWORKS)[number];

const idOf = (last: string): string => `00000000-0000-7000-8000-0ca9a2b0${last}`;

/**
 * The canary's Workspace and what is in it, by the same ids in every installation and for good: every process knows by
 * them alone what is the canary's, whatever its settings say.
 */
export const CANARY: {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly endpointId: string;
  readonly channels: Readonly<Record<CanaryNetwork, string>>;
} = {
  workspaceId: idOf('0100'),
  memberId: idOf('0200'),
  endpointId: idOf('0300'),
  channels: { facebook: idOf('0400'), threads: idOf('0500') },
};

/** Whether it is the Workspace of the canary: the one question by which code tells it from a tenant's. */
export function isCanary(workspaceId: string): boolean {
  return workspaceId === CANARY.workspaceId;
}

/** What the canary leaves in the tables goes after this, or sooner: nobody looks at its old Posts. */
const CANARY_KEPT_SECONDS = 86_400;

/** For how long a row of the canary is kept that is kept for `ttlSeconds` in other Workspaces, or for good. */
export function keptSeconds(ttlSeconds = Infinity): number {
  return Math.min(CANARY_KEPT_SECONDS, ttlSeconds);
}
