import type { Row, RowWrite, TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT } from './body.ts';
import { DUE } from './tables.ts';

/** What fires: `payload` (an encoded message) is appended to `topic` under `key`. */
export interface DueTimer {
  readonly shard: number;
  readonly timerId: string;
  readonly dueAt: number;
  readonly topic: string;
  readonly key: string;
  readonly payload: Uint8Array;
}

const MINUTE_MS = 60_000;

export function minuteOf(instant: number): number {
  return Math.floor(instant / MINUTE_MS);
}

export function minuteStart(minute: number): number {
  return minute * MINUTE_MS;
}

/** Writes the rows of timers. Writing one again, the same, is harmless. Rejects with `PortError`. */
export async function writeDue(store: TableStore, timers: readonly DueTimer[]): Promise<void> {
  await store.insert(DUE, timers.map(rowOf));
}

function rowOf(timer: DueTimer): RowWrite {
  return { partition: [timer.shard, minuteOf(timer.dueAt)], clustering: [timer.dueAt, timer.timerId], body: pack(timer), format: BODY_FORMAT };
}

/** Timers of a bucket in the order of their instants, after `after`; fewer than `limit` = the end. */
export async function readDue(
  store: TableStore,
  shard: number,
  minute: number,
  after: Pick<DueTimer, 'dueAt' | 'timerId'> | null,
  limit: number,
): Promise<readonly DueTimer[]> {
  const rows = await store.slice(DUE, [shard, minute], after === null ? { limit } : { after: [after.dueAt, after.timerId], limit });
  return rows.map((row) => timerOf(shard, row));
}

/** topic, 0, key, 0, payload: neither topics nor keys hold a NUL. */
function pack(timer: DueTimer): Uint8Array {
  return Buffer.concat([Buffer.from(`${timer.topic}\0${timer.key}\0`, 'utf8'), timer.payload]);
}

function timerOf(shard: number, row: Row): DueTimer {
  const bytes = Buffer.from(row.body.buffer, row.body.byteOffset, row.body.byteLength);
  const topicEnd = bytes.indexOf(0);
  const keyEnd = bytes.indexOf(0, topicEnd + 1);
  return {
    shard,
    timerId: row.clustering[1] as string,
    dueAt: row.clustering[0] as number,
    topic: bytes.toString('utf8', 0, topicEnd),
    key: bytes.toString('utf8', topicEnd + 1, keyEnd),
    payload: bytes.subarray(keyEnd + 1),
  };
}
