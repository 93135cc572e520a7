import { dayOf, weekOf } from '#domain/calendar.ts';
import { instantOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import { roughBytesOf } from '#domain/post/weight.ts';
import type { AuditEntry } from '#domain/workspace/audit.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import type { TableStore } from '#ports/table-store.ts';
import { BUCKETS_FORMAT } from '#tables/release.ts';
import {
  auditKey,
  auditPeriod,
  bucketOf,
  countedBytes,
  ONE_BUCKET,
  type Buckets,
  type Period,
} from '#tables/buckets.ts';
import { newestKey, periodRow, readBuckets } from '#tables/repositories/post-days.ts';
import type { RowEffect } from '#tables/rows/pending-effects.ts';

/** A period as the owner of its Workspace knows it. */
export interface KnownPeriod extends Buckets {
  /** The directory names it. */
  readonly isListed: boolean;
}

export interface PlacingInput {
  readonly store: TableStore;
  readonly workspaceId: string;
  /** That which may be written now: of the head, and of the rows that readers see. */
  readonly format: number;
  /** By `periodName`, as the turns before this one left them. */
  readonly periods: Pick<ReadonlyMap<string, KnownPeriod>, 'get'>;
  /** How much a bucket holds. */
  readonly bucketBytes: number;
}

export interface PlacedRows {
  /** Posts that the turn created, as they are after it, with their buckets. */
  readonly posts: readonly Post[];
  /** Last keys of the buckets of the audit's months, by `periodName`. */
  readonly auditEnds: ReadonlyMap<string, readonly string[]>;
  /** What the directory is to say. */
  readonly directory: readonly RowEffect[];
  /** What is known once the turn is committed, by `periodName`. */
  readonly periods: ReadonlyMap<string, KnownPeriod>;
}

/** A row that is new in its period. */
interface NewRow {
  readonly period: Period;
  readonly key: string;
  readonly bytes: number;
}

/** A row of the week in which a Post is due, with its keys. */
const DUE_ROW_BYTES = 100;
/** Of a row of the audit beside its entry. */
const AUDIT_ROW_BYTES = 60;

/** Of all periods of a Workspace no two have the same. */
export function periodName({ kind, number }: Period): string {
  return `${kind} ${number}`;
}

/**
 * Says in which buckets the new rows of a turn are, and opens the next bucket of a period whose last one is full. That
 * is done before the rows of the turn are counted, above every key that the bucket has: the outbox of every turn before
 * was carried out, so the store has them all. What this turn adds keeps the bucket within a turn's bytes of its limit.
 * Writes nothing; rejects with `PortError`.
 */
export async function placeRows(
  input: PlacingInput,
  effects: readonly Effect[],
  posts: ReadonlyMap<string, Post | null>,
): Promise<PlacedRows> {
  const created = effects.flatMap((effect) =>
    effect.kind === 'post-created' ? [posts.get(effect.post.id) ?? effect.post] : [],
  );
  const entries = effects.flatMap((effect) => (effect.kind === 'audit' ? [effect.entry] : []));
  const rows = [...created.flatMap(rowsOfPost), ...entries.map(rowOfEntry)];
  const periods = [...new Map(rows.map(({ period }) => [periodName(period), period])).values()];
  const known = await Promise.all(periods.map((period) => knownPeriod(input, period)));
  const opened = await Promise.all(periods.map((period, index) => withRoom(input, period, known[index]!)));
  const counted = countRows(input, new Map(periods.map((period, index) => [periodName(period), opened[index]!])), rows);
  const changed = periods.filter(
    (period, index) =>
      counted.get(periodName(period)) !== known[index] || (!known[index]!.isListed && period.kind !== 'audit'),
  );
  const endsOf = (period: Period): readonly string[] => counted.get(periodName(period))!.ends;
  return {
    posts: created.map((post) => inBuckets(post, endsOf)),
    auditEnds: new Map([...counted].map(([name, { ends }]) => [name, ends])),
    directory: changed.map((period) => periodRow(input.workspaceId, period, counted.get(periodName(period))!)),
    periods: new Map([
      ...effects.flatMap(emptiedIn).map((period) => [periodName(period), NOT_LISTED] as const),
      ...counted,
      ...changed.map((of) => [periodName(of), { ...counted.get(periodName(of))!, isListed: true }] as const),
    ]),
  };
}

const NOT_LISTED: KnownPeriod = { ...ONE_BUCKET, isListed: false };

async function knownPeriod({ store, workspaceId, periods }: PlacingInput, period: Period): Promise<KnownPeriod> {
  const known = periods.get(periodName(period));
  if (known !== undefined) return known;
  const read = await readBuckets(store, workspaceId, period);
  return read === null ? NOT_LISTED : { ...read, isListed: true };
}

/** Periods that hold no Posts any more. */
function emptiedIn(effect: Effect): readonly Period[] {
  if (effect.kind !== 'days-emptied') return [];
  const { days, weeks } = effect;
  return [
    ...days.map((number) => ({ kind: 'written', number }) as const),
    ...weeks.map((number) => ({ kind: 'due', number }) as const),
  ];
}

function rowOfEntry(entry: AuditEntry): NewRow {
  const bytes = AUDIT_ROW_BYTES + Buffer.byteLength(JSON.stringify(entry));
  return { period: auditPeriod(entry.at), key: auditKey(entry), bytes };
}

function rowsOfPost(post: Post): readonly NewRow[] {
  const day = { period: dayPeriod(post), key: post.id, bytes: roughBytesOf(post) };
  const week = weekPeriod(post);
  return week === null ? [day] : [day, { period: week, key: post.id, bytes: DUE_ROW_BYTES }];
}

function dayPeriod({ id }: Post): Period {
  return { kind: 'written', number: dayOf(instantOf(id)) };
}

function weekPeriod({ scheduledAt }: Post): Period | null {
  return scheduledAt === null ? null : { kind: 'due', number: weekOf(scheduledAt) };
}

/** With the next bucket, if the last one is full. */
async function withRoom(
  { store, workspaceId, format, bucketBytes }: PlacingInput,
  period: Period,
  known: KnownPeriod,
): Promise<KnownPeriod> {
  if (format < BUCKETS_FORMAT || known.bytes < bucketBytes) return known;
  const end = await newestKey(store, workspaceId, period, known.ends.length);
  // Of the canary's rows, which expire soon, there may be none left.
  return { ...known, ends: end === null ? known.ends : [...known.ends, end], bytes: 0 };
}

/** Counts what comes to the last bucket of each period. A late key may belong to one before, which is full anyway. */
function countRows(
  { format, bucketBytes }: PlacingInput,
  opened: ReadonlyMap<string, KnownPeriod>,
  rows: readonly NewRow[],
): ReadonlyMap<string, KnownPeriod> {
  const counted = new Map(opened);
  if (format < BUCKETS_FORMAT) return counted;
  for (const { period, key, bytes } of rows) {
    const known = counted.get(periodName(period))!;
    const more = bucketOf(known.ends, key) === known.ends.length ? countedBytes(key, bytes, bucketBytes) : 0;
    if (more > 0) counted.set(periodName(period), { ...known, bytes: known.bytes + more });
  }
  return counted;
}

function inBuckets(post: Post, endsOf: (period: Period) => readonly string[]): Post {
  const day = bucketOf(endsOf(dayPeriod(post)), post.id);
  const weekOfPost = weekPeriod(post);
  const week = weekOfPost === null ? 0 : bucketOf(endsOf(weekOfPost), post.id);
  return day === 0 && week === 0 ? post : { ...post, buckets: { day, week } };
}
