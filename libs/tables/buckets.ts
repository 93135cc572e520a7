import { monthOf } from '#domain/plan/month.ts';

/**
 * Rows of a Workspace are in partitions by the day on which a Post was written, by the week in which it is due, by the
 * month of an entry of the audit: a **period**. A period has one **bucket**, which is one partition, until that holds
 * `BUCKET_BYTES`; then the owner of the Workspace, the only writer, opens the next one. A row's bucket follows from its
 * key and from the last keys of the buckets that are full. These are only ever added to, each at or above every key
 * that is there, so a row never changes its bucket, and who knows an older list finds all that was written by then.
 */
export interface Period {
  readonly kind: 'written' | 'due' | 'audit';
  /** Days or weeks since the epoch; 202611 is a month. */
  readonly number: number;
}

/** What the directory says of a period. */
export interface Buckets {
  /** The last key of each bucket that is full, ascending: the bucket after it holds what is above. */
  readonly ends: readonly string[];
  /** About how much the last bucket holds. */
  readonly bytes: number;
}

export const ONE_BUCKET: Buckets = { ends: [], bytes: 0 };

/**
 * By `roughBytesOf` for Posts. As a rule their rows have less than that, and where every Variant has the longest
 * permalink and its first comment the longest reason that are kept, five times as much: a partition stays below 100 MB.
 */
export const BUCKET_BYTES = 15 * 1024 * 1024;

/** From 0. */
export function bucketOf(ends: readonly string[], key: string): number {
  let bucket = ends.length;
  while (bucket > 0 && ends[bucket - 1]! >= key) bucket--;
  return bucket;
}

/** More than any day, week or month has as its number. */
const PERIODS = 1_000_000;

/** The number of a partition: that of the period for its first bucket, as it was before there were others. */
export function bucketNumber(period: number, bucket: number): number {
  return period + bucket * PERIODS;
}

/** In the order of the audit: by instant, then by id. */
export function auditKey({ at, id }: { readonly at: number; readonly id: string }): string {
  return `${String(at).padStart(15, '0')} ${id}`;
}

export function auditPeriod(at: number): Period {
  return { kind: 'audit', number: Number(monthOf(at).replace('-', '')) };
}

/** Of the text by which the audit's partitions are named. */
export function auditBucket(month: string, bucket: number): string {
  return bucket === 0 ? month : `${month}.${bucket}`;
}

/** So many steps a full bucket is counted in. */
const STEPS = 256;

/**
 * What a row adds to the count of its bucket. The count is a row of its own, and is not to be written with each Post:
 * a row counts for a whole step with the probability that its bytes have of one, taken from its key, so that a turn
 * that is decided again counts the same. At 256 steps the sum is right within a fifth.
 */
export function countedBytes(key: string, bytes: number, limit: number): number {
  const step = limit / STEPS;
  const whole = Math.floor(bytes / step);
  return step * (whole + (fraction(key) < bytes / step - whole ? 1 : 0));
}

/** FNV-1a with the last steps of MurmurHash3, as a part of one: evenly spread, also over keys that differ in little. */
function fraction(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
