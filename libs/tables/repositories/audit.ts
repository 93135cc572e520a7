import { AUDIT_KEPT_MS, type AuditEntry } from '#domain/workspace/audit.ts';
import { monthOf, periodOf } from '#domain/plan/month.ts';
import type { Key } from '#ports/table.ts';
import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import type { RowEffect } from '../rows/pending-effects.ts';
import { auditBucket, auditKey, auditPeriod, bucketOf } from '../buckets.ts';
import { AUDIT } from '../declarations/tables.ts';
import { listPeriods } from './post-days.ts';

const DAY_MS = 86_400_000;
/** Readers judge by the stored instant; the row goes a day later, since clocks differ. */
const TTL_SECONDS = (AUDIT_KEPT_MS + DAY_MS) / 1000;
/** An entry may bear an instant that is ahead of the reader's clock by less than this. */
const AHEAD_MS = DAY_MS;

/** `bucket`: of the month. */
export function auditRow(workspaceId: string, { id, at, ...value }: AuditEntry, bucket = 0): Omit<RowEffect, 'table'> {
  const partition = [workspaceId, auditBucket(monthOf(at), bucket)];
  return { partition, clustering: [at, id], value, ttlSeconds: TTL_SECONDS };
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

/** A page of a Workspace's audit, newest first. Buckets are read one after another until the page is full. */
export async function listAudit(
  store: TableStore,
  workspaceId: string,
  { before, limit, now }: AuditListFilter,
): Promise<AuditPage> {
  const oldest = now - AUDIT_KEPT_MS;
  const newest = before?.at ?? now + AHEAD_MS;
  const entries: AuditEntry[] = [];
  const buckets = await bucketsBetween(store, workspaceId, { newest, oldest, before });
  for (let next = buckets.next(); next.done !== true && entries.length <= limit; next = buckets.next()) {
    const after = before !== null && next.value.hasBefore ? ([before.at, before.id] as const) : null;
    // One more than the page holds tells whether there is another page.
    const wanted = Math.min(MAX_SLICE_ROWS, limit + 1 - entries.length);
    const partition = [workspaceId, next.value.name];
    const rows = await store.slice(AUDIT, partition, after === null ? { limit: wanted } : { after, limit: wanted });
    for (const row of rows) {
      const entry = entryOf(row);
      if (entry !== null && entry.at > oldest) entries.push(entry);
    }
  }
  return { entries: entries.slice(0, limit), more: entries.length > limit };
}

interface AuditRange extends Pick<AuditListFilter, 'before'> {
  readonly newest: number;
  readonly oldest: number;
}

/** Names of the months' buckets, newest first, from that of `before` on. */
async function bucketsBetween(
  store: TableStore,
  workspaceId: string,
  { newest, oldest, before }: AuditRange,
): Promise<Generator<{ readonly name: string; readonly hasBefore: boolean }>> {
  const listed = await listPeriods(store, workspaceId, 'audit', {
    from: auditPeriod(oldest).number,
    until: auditPeriod(newest).number + 1,
  });
  const endsOf = new Map(listed.map(({ number, ends }) => [number, ends]));
  return (function* () {
    for (let month = monthOf(newest); month >= monthOf(oldest); month = monthBefore(month)) {
      const ends = endsOf.get(auditPeriod(periodOf(month).from).number) ?? [];
      const isFirst = before !== null && month === monthOf(before.at);
      const first = isFirst ? bucketOf(ends, auditKey(before)) : ends.length;
      for (let bucket = first; bucket >= 0; bucket--)
        yield { name: auditBucket(month, bucket), hasBefore: isFirst && bucket === first };
    }
  })();
}

function entryOf(row: Parameters<typeof decodeBody>[0] & { readonly clustering: Key }): AuditEntry | null {
  const [at, id] = row.clustering as readonly [number, string];
  const body = decodeBody<Omit<AuditEntry, 'id' | 'at'>>(row);
  return body === null ? null : { id, at, ...body };
}

function monthBefore(month: string): string {
  return monthOf(periodOf(month).from - 1);
}
