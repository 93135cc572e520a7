import { AUDIT_KEPT_MS, type AuditEntry } from '#domain/workspace/audit.ts';
import { monthOf, periodOf } from '#domain/plan/month.ts';
import type { Key } from '#ports/table.ts';
import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import type { RowEffect } from '../rows/pending-effects.ts';
import { AUDIT } from '../declarations/tables.ts';

const DAY_MS = 86_400_000;
/** Readers judge by the stored instant; the row goes a day later, since clocks differ. */
const TTL_SECONDS = (AUDIT_KEPT_MS + DAY_MS) / 1000;
/** An entry may bear an instant that is ahead of the reader's clock by less than this. */
const AHEAD_MS = DAY_MS;

export function auditRow(workspaceId: string, { id, at, ...value }: AuditEntry): Omit<RowEffect, 'table'> {
  return { partition: [workspaceId, monthOf(at)], clustering: [at, id], value, ttlSeconds: TTL_SECONDS };
}

/** An entry's place in the list. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

export interface AuditListFilter {
  /** Only entries after this one in the list, that is older ones; null: from the newest. */
  readonly before: AuditPosition | null;
  readonly limit: number;
  /** Entries older than this by 400 days are not shown. */
  readonly now: number;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
}

/** A page of a Workspace's audit, newest first. Months are read one after another until the page is full. */
export async function listAudit(
  store: TableStore,
  workspaceId: string,
  { before, limit, now }: AuditListFilter,
): Promise<AuditPage> {
  const oldest = now - AUDIT_KEPT_MS;
  const entries: AuditEntry[] = [];
  for (
    let month = monthOf(before?.at ?? now + AHEAD_MS);
    month >= monthOf(oldest) && entries.length <= limit;
    month = monthBefore(month)
  ) {
    const after = before !== null && month === monthOf(before.at) ? ([before.at, before.id] as const) : null;
    // One more than the page holds tells whether there is another page.
    const wanted = Math.min(MAX_SLICE_ROWS, limit + 1 - entries.length);
    const rows = await store.slice(
      AUDIT,
      [workspaceId, month],
      after === null ? { limit: wanted } : { after, limit: wanted },
    );
    for (const row of rows) {
      const entry = entryOf(row);
      if (entry !== null && entry.at > oldest) entries.push(entry);
    }
  }
  return { entries: entries.slice(0, limit), more: entries.length > limit };
}

function entryOf(row: Parameters<typeof decodeBody>[0] & { readonly clustering: Key }): AuditEntry | null {
  const [at, id] = row.clustering as readonly [number, string];
  const body = decodeBody<Omit<AuditEntry, 'id' | 'at'>>(row);
  return body === null ? null : { id, at, ...body };
}

function monthBefore(month: string): string {
  return monthOf(periodOf(month).from - 1);
}
