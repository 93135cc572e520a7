import type { Key } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { AUDIT, POST_DAYS, POSTS, POSTS_BY_DUE_WEEK } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import type { RowEffect } from '../rows/pending-effects.ts';
import { auditBucket, auditKey, bucketNumber, ONE_BUCKET, type Buckets, type Period } from '../buckets.ts';

/** A period that the directory names. */
export interface ListedPeriod extends Pick<Buckets, 'ends'> {
  readonly number: number;
}

const ROWS_A_SLICE = 1_000;
/** A month's entries are kept 400 days and one; its row is last written in that month. */
const AUDIT_TTL_SECONDS = (401 + 32) * 86_400;

/**
 * Null: the directory does not name the period; one of the audit may have rows all the same. Rejects with `PortError`.
 */
export async function readBuckets(
  store: TableStore,
  workspaceId: string,
  { kind, number }: Period,
): Promise<Buckets | null> {
  const row = await store.read(POST_DAYS, [workspaceId], [kind, number]);
  const body = row === null ? null : decodeBody<Partial<Buckets>>(row);
  return body === null ? null : { ...ONE_BUCKET, ...body };
}

/** Periods in [from, until), ascending. Rejects with `PortError`. */
export async function listPeriods(
  store: TableStore,
  workspaceId: string,
  kind: Period['kind'],
  { from = 0, until }: { readonly from?: number; readonly until?: number } = {},
): Promise<ListedPeriod[]> {
  const periods: ListedPeriod[] = [];
  for (let after = from - 1; ;) {
    const { listed, next } = await sliceOfPeriods(store, [workspaceId], { kind, after, until, limit: ROWS_A_SLICE });
    periods.push(...listed);
    if (next === null) return periods;
    after = next;
  }
}

/** The oldest of them before `until`, ascending, at most 1,000. Rejects with `PortError`. */
export async function oldestPeriods(
  store: TableStore,
  workspaceId: string,
  kind: Period['kind'],
  until: number,
): Promise<readonly ListedPeriod[]> {
  return (await sliceOfPeriods(store, [workspaceId], { kind, after: -1, until, limit: ROWS_A_SLICE })).listed;
}

interface PeriodSlice {
  readonly kind: Period['kind'];
  readonly after: number;
  readonly until: number | undefined;
  readonly limit: number;
}

async function sliceOfPeriods(
  store: TableStore,
  partition: Key,
  { kind, after, until, limit }: PeriodSlice,
): Promise<{ readonly listed: readonly ListedPeriod[]; readonly next: number | null }> {
  const rows = await store.slice(POST_DAYS, partition, {
    prefix: [kind],
    after: [after],
    ...(until !== undefined && { until: [until] }),
    limit,
  });
  const listed = rows.flatMap((row): readonly ListedPeriod[] => {
    const body = decodeBody<Partial<Buckets>>(row);
    // A void row is of a period whose Posts were all removed.
    return body === null ? [] : [{ number: row.clustering[1] as number, ends: body.ends ?? [] }];
  });
  return { listed, next: rows.length < limit ? null : (rows.at(-1)!.clustering[1] as number) };
}

/** A period of one bucket of which little is counted is named by an empty value, as in every release. */
export function periodRow(workspaceId: string, { kind, number }: Period, { ends, bytes }: Buckets): RowEffect {
  return {
    table: POST_DAYS.name,
    partition: [workspaceId],
    clustering: [kind, number],
    value: { ...(ends.length > 0 && { ends }), ...(bytes > 0 && { bytes }) },
    ...(kind === 'audit' && { ttlSeconds: AUDIT_TTL_SECONDS }),
  };
}

/** The greatest key in a bucket, of a removed row too; null: it has none. Rejects with `PortError`. */
export async function newestKey(
  store: TableStore,
  workspaceId: string,
  { kind, number }: Period,
  bucket: number,
): Promise<string | null> {
  if (kind === 'audit') {
    const month = `${String(number).slice(0, 4)}-${String(number).slice(4)}`;
    const [entry] = await store.slice(AUDIT, [workspaceId, auditBucket(month, bucket)], { limit: 1 });
    if (entry === undefined) return null;
    const [at, id] = entry.clustering as readonly [number, string];
    return auditKey({ at, id });
  }
  const table = kind === 'written' ? POSTS : POSTS_BY_DUE_WEEK;
  const [row] = await store.slice(table, [workspaceId, bucketNumber(number, bucket)], { limit: 1 });
  return row === undefined ? null : (row.clustering[0] as string);
}
