import { factsOf, type Network } from '../network.ts';

/**
 * One upkeep of a Channel's Connection: its tokens are renewed or checked. Instants are milliseconds since the epoch.
 */
export interface Upkeep {
  readonly workspaceId: string;
  readonly channelId: string;
  readonly network: Network;
  /** When the Channel was connected: a later connecting begins a new round of upkeep, and this one ends. */
  readonly connectedAt: number;
  readonly dueAt: number;
}

const DAY_MS = 86_400_000;

/** The upkeep of Channels that were connected together is spread over this share of the interval. */
const JITTER = 0.2;

/** At most so long a Connection goes unused before its upkeep; see `upkeepEveryDays` in libs/domain/network.ts. */
function intervalMs(network: Network): number {
  return factsOf(network).upkeepEveryDays * DAY_MS;
}

/** Whether the tokens need no upkeep yet, because they were issued (at `issuedAt`) less than half an interval ago. */
export function isFresh({ network }: Pick<Upkeep, 'network'>, issuedAt: number, now: number): boolean {
  return now - issuedAt < intervalMs(network) / 2;
}

function spreadIntervalMs({ network, channelId }: Pick<Upkeep, 'network' | 'channelId'>): number {
  const spread = (parseInt(channelId.slice(-4), 16) || 0) / 0x1_00_00;
  return Math.floor(intervalMs(network) * (1 - JITTER * spread));
}

/**
 * When the next upkeep after `now` is due. It is computed from when the Channel was connected, so that every process
 * computes the same instant.
 */
export function nextUpkeepAt(upkeep: Omit<Upkeep, 'dueAt' | 'workspaceId'>, now: number): number {
  const interval = spreadIntervalMs(upkeep);
  return upkeep.connectedAt + interval * (Math.floor(Math.max(0, now - upkeep.connectedAt) / interval) + 1);
}
