import { instantOf, postIdOfVariant } from './post/ids.ts';
import type { Variant } from './post/post.ts';
import { MAX_APART_MS } from './workspace/clock-skew.ts';

export const OVERDUE_CHOICES = ['ask', 'fail', 'publish'] as const;

/**
 * What becomes of a Variant that may have been published by the installation that the backup is of: the Network is
 * asked first, it fails, or it is published without asking.
 */
export type OverdueChoice = (typeof OVERDUE_CHOICES)[number];

/**
 * This installation is a copy of another one, as that one was at `backupAt`. What that one did afterwards is not known
 * here. Instants are milliseconds since the epoch.
 */
export interface Restoration {
  readonly backupAt: number;
  readonly restoredAt: number;
  /**
   * Where the backup was taken of a copy that its own restore still held: the instant that that one was a copy of. What
   * came due since then was sent by nobody whom this installation knows of. Left out: `backupAt`.
   */
  readonly unknownSince?: number;
  /** null: everything is held. */
  readonly released: { readonly overdue: OverdueChoice; readonly at: number; readonly by: string } | null;
}

/** From when on this installation does not know what another one sent. */
export function unknownSince({ backupAt, unknownSince: earlier }: Restoration): number {
  return earlier ?? backupAt;
}

/**
 * Whether the other installation may have known the Variant: its Post was created before the backup, or after it by
 * less than clocks may be apart. Of a Post that this installation made itself, the Network is asked in vain.
 */
export function existedAtBackup({ backupAt }: Restoration, variantId: string): boolean {
  return instantOf(postIdOfVariant(variantId)) <= backupAt + MAX_APART_MS;
}

/**
 * Whether what was due at that instant was due before the release, by a clock that may have led, so that the other
 * installation may have sent it.
 */
export function wasDueMeanwhile({ released }: Restoration, dueAt: number): boolean {
  return released === null || dueAt <= released.at + MAX_APART_MS;
}

/** When a Variant was first due, before any retry: at the time of its Post; without one, when its Post was created. */
export function firstDueOf(variantId: string, scheduledAt: number | null | undefined): number {
  return scheduledAt ?? instantOf(postIdOfVariant(variantId));
}

/** Whether it was due first at that instant while the other installation may have run without our knowing. */
export function wasFirstDueMeanwhile(restoration: Restoration, dueAt: number): boolean {
  return dueAt >= unknownSince(restoration) - MAX_APART_MS && wasDueMeanwhile(restoration, dueAt);
}

/**
 * Of a Variant that is scheduled here: whether the other installation may have published it. Whether a publisher has
 * asked the Network since is in the ledger, which no Workspace reads: after an attempt that was kept back by a later
 * hold the answer is yes all the same. No where operators chose to publish without asking.
 */
export function mayBePublishedElsewhere(
  restoration: Restoration | null,
  { id, dueAt, scheduledAt }: Pick<Variant, 'id' | 'dueAt' | 'scheduledAt'>,
  now: number,
): boolean {
  if (restoration === null || restoration.released?.overdue === 'publish') return false;
  if (!existedAtBackup(restoration, id) || now + MAX_APART_MS < dueAt) return false;
  return wasDueMeanwhile(restoration, dueAt) || wasFirstDueMeanwhile(restoration, firstDueOf(id, scheduledAt));
}
