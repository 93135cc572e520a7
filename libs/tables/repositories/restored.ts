import type { HoldScope, PublishingHold } from '#domain/publishing-holds.ts';
import { unknownSince, type OverdueChoice, type Restoration } from '#domain/restoration.ts';
import type { TableStore } from '#ports/table-store.ts';
import { changeScope, endedAt, type HolderScope, type HoldWriter, type ScopeRow } from './publishing-holds.ts';

const EVERYTHING: HoldScope = { network: null, workspaceId: null };
const SCOPE: HolderScope = { ...EVERYTHING, holder: 'restore' };

/**
 * Marks an installation whose tables were just restored from a backup: everything is held until an operator says what
 * becomes of what was due meanwhile. To be called before any process of the installation begins; repeatable. Rejects
 * with `PortError`.
 */
export async function markRestored(
  store: TableStore,
  { backupAt, restoredAt }: Pick<Restoration, 'backupAt' | 'restoredAt'>,
): Promise<void> {
  const hold: PublishingHold = {
    ...EVERYTHING,
    holder: 'restore',
    by: 'restore',
    since: restoredAt,
    reason: restoredReason(backupAt),
  };
  // One process restores, so a token that follows from what it writes is as good as a random one.
  const ids = { token: () => `restored ${backupAt} ${restoredAt}` };
  await changeScope({ store, ids }, SCOPE, (before) => ({
    next: { ...before, hold, restoration: { backupAt, restoredAt, ...earlierOf(before, backupAt), released: null } },
    answer: null,
  }));
}

/** A backup of a copy that was never released does not know either what was sent since that copy was made. */
function earlierOf({ hold, restoration }: ScopeRow, backupAt: number): Pick<Restoration, 'unknownSince'> {
  if (hold === null || restoration === undefined) return {};
  const since = unknownSince(restoration);
  return since < backupAt ? { unknownSince: since } : {};
}

function restoredReason(backupAt: number): string {
  const instant = new Date(backupAt).toISOString();
  return `restored from a backup of ${instant}; release with {"restored": {"overdue": "ask"}}, or "fail", or "publish"`;
}

/**
 * Ends the hold of a restore, with what becomes of Variants that were due meanwhile; null: no restore holds anything.
 * Rejects with `PortError`.
 */
export function releaseRestored(
  writer: HoldWriter,
  { overdue, by, now }: { readonly overdue: OverdueChoice; readonly by: string; readonly now: number },
): Promise<Restoration | null> {
  return changeScope<Restoration | null>(writer, SCOPE, (before) => {
    if (before.hold === null || before.restoration === undefined) return { next: null, answer: null };
    const restoration = { ...before.restoration, released: { overdue, at: now, by } };
    return { next: { ...endedAt(before, now), restoration }, answer: restoration };
  });
}
