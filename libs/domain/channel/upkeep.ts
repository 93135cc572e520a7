import type { Network } from '../network.ts';

/**
 * That a Channel's Connection is to be looked after, and when that was to be. Instants are milliseconds since the
 * epoch.
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

/**
 * How long a Connection may go unused before its tokens are renewed, or its Network is asked whether they still hold:
 * before what unused tokens die of, and often enough that a dead one is known before the next Post is due.
 */
const EVERY_MS: Readonly<Record<Network, number>> = {
  facebook: DAY_MS,
  instagram: 7 * DAY_MS,
  threads: 7 * DAY_MS,
  tiktok: 28 * DAY_MS,
  youtube: 28 * DAY_MS,
  x: 28 * DAY_MS,
};
/** Channels connected together are not looked after together. */
const JITTER = 0.2;

/** Whether tokens that came at `issuedAt` need nothing yet: their Channel was used since the last time. */
export function isFresh({ network }: Pick<Upkeep, 'network'>, issuedAt: number, now: number): boolean {
  return now - issuedAt < EVERY_MS[network] / 2;
}

function everyMs({ network, channelId }: Pick<Upkeep, 'network' | 'channelId'>): number {
  const spread = (parseInt(channelId.slice(-4), 16) || 0) / 0x1_00_00;
  return Math.floor(EVERY_MS[network] * (1 - JITTER * spread));
}

/**
 * The next one that lies after `now`. Reckoned from when the Channel was connected, so whoever reckons comes to the
 * same instant.
 */
export function nextUpkeepAt(upkeep: Omit<Upkeep, 'dueAt' | 'workspaceId'>, now: number): number {
  const every = everyMs(upkeep);
  return upkeep.connectedAt + every * (Math.floor(Math.max(0, now - upkeep.connectedAt) / every) + 1);
}
