import { createHash } from 'node:crypto';
import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { ImpliedRows, Row, RowWrite } from '#ports/table.ts';
import type { TimerSet } from '#messages/messages.ts';
import { isSampled, traceparentOf } from '#domain/traceparent.ts';
import { BODY_FORMAT, encodeBody } from '../rows/body.ts';
import { DUE, DUE_HOURS } from '../declarations/tables.ts';

/**
 * What fires: `payload` (an encoded message) is appended to `topic` under `key`.
 *
 * A scheduler knows a timer by `dueAt` and `timerId`, and remembers for minutes that it fired, because its row and its
 * record in timers.v1 may come one after the other. So a receiver to which a timer came too early, from a scheduler
 * whose clock is ahead, sets it again under another name or instant: the same timer would count as fired.
 */
export type DueTimer = Omit<TimerSet, 'type'>;

export interface DueTimers {
  /** Writes rows. Writing one again, the same, is harmless. */
  write(timers: readonly DueTimer[]): Promise<void>;
  /** Writes which hours the timers are in. Resolves with their rows, which the caller writes beside others. */
  prepare(timers: readonly DueTimer[]): Promise<readonly ImpliedRows[]>;
  /** The rows of `write`, for the caller's own compare-and-set; the caller calls `written` once that is taken. */
  rows(timers: readonly DueTimer[]): { readonly implied: readonly ImpliedRows[]; readonly written: () => void };
  /** Timers of a minute in the order of their instants, after `after`; fewer than `limit` = the end. */
  read(
    shard: number,
    minute: number,
    after: Pick<DueTimer, 'dueAt' | 'timerId'> | null,
    limit: number,
  ): Promise<readonly DueTimer[]>;
  /** Which minutes in [from, until) may hold timers: all of a short span, those of a long one's hours that hold any. */
  minutes(shard: number, from: number, until: number): AsyncGenerator<number>;
  /** Forgets a whole minute. */
  drop(shard: number, minute: number): Promise<void>;
  /** Forgets which hours of the days that end in (from, until] hold timers: to be called when those are dropped. */
  dropDays(shard: number, from: number, until: number): Promise<void>;
}

const MINUTE_MS = 60_000;
const MINUTES_AN_HOUR = 60;
const HOURS_A_DAY = 24;
/** Up to this many minutes it is cheaper to read them than to ask which hold something. */
const SHORT_SPAN_MINUTES = 120;
const MAX_KNOWN_HOURS = 100_000;

export function minuteOf(instant: number): number {
  return Math.floor(instant / MINUTE_MS);
}

export function minuteStart(minute: number): number {
  return minute * MINUTE_MS;
}

/** The hours in which timers are due, as far as this process wrote them. */
class Hours {
  readonly #store: TableStore;
  readonly #known = createBoundedMap<string, true>(MAX_KNOWN_HOURS);

  constructor(store: TableStore) {
    this.#store = store;
  }

  /** The rows of those that it does not know of, by name. */
  fresh(timers: readonly DueTimer[]): ReadonlyMap<string, RowWrite> {
    const fresh = new Map<string, RowWrite>();
    for (const { shard, dueAt } of timers) {
      const hour = Math.floor(minuteOf(dueAt) / MINUTES_AN_HOUR);
      const name = `${shard} ${hour}`;
      if (this.#known.has(name)) continue;
      fresh.set(name, {
        partition: [shard, Math.floor(hour / HOURS_A_DAY)],
        clustering: [hour],
        body: encodeBody({}),
        format: BODY_FORMAT,
      });
    }
    return fresh;
  }

  know(hours: ReadonlyMap<string, RowWrite>): void {
    for (const name of hours.keys()) this.#known.set(name, true);
  }

  /** Before the timers themselves: an hour that is not in the directory is skipped by a scheduler that catches up. */
  async write(timers: readonly DueTimer[]): Promise<void> {
    const fresh = this.fresh(timers);
    if (fresh.size > 0) await this.#store.insert(DUE_HOURS, [...fresh.values()]);
    this.know(fresh);
  }
}

/** Every method rejects with `PortError`. */
export function createDueTimers(store: TableStore): DueTimers {
  const hours = new Hours(store);
  return {
    write: async (timers) => {
      await hours.write(timers);
      await store.insert(DUE, timers.map(rowOf));
    },
    prepare: async (timers) => {
      await hours.write(timers);
      return timers.length === 0 ? [] : [{ table: DUE, insert: timers.map(rowOf) }];
    },
    rows: (timers) => {
      const fresh = hours.fresh(timers);
      const implied: ImpliedRows[] = [];
      if (fresh.size > 0) implied.push({ table: DUE_HOURS, insert: [...fresh.values()] });
      if (timers.length > 0) implied.push({ table: DUE, insert: timers.map(rowOf) });
      return { implied, written: () => hours.know(fresh) };
    },
    read: async (shard, minute, after, limit) => {
      const rows = await store.slice(
        DUE,
        [shard, minute],
        after === null ? { limit } : { after: [after.dueAt, after.timerId], limit },
      );
      return rows.map((row) => timerOf(shard, row));
    },
    minutes: async function* (shard, from, until) {
      if (until - from <= SHORT_SPAN_MINUTES) {
        for (let minute = from; minute < until; minute++) yield minute;
        return;
      }
      for (let day = dayOf(from); day <= dayOf(until - 1); day++) {
        for (const row of await store.slice(DUE_HOURS, [shard, day], { limit: HOURS_A_DAY })) {
          const first = (row.clustering[0] as number) * MINUTES_AN_HOUR;
          for (let minute = Math.max(from, first); minute < Math.min(until, first + MINUTES_AN_HOUR); minute++)
            yield minute;
        }
      }
    },
    drop: (shard, minute) => store.dropPartition(DUE, [shard, minute]),
    dropDays: async (shard, from, until) => {
      for (let day = dayOf(from); day < dayOf(until); day++) {
        const [first] = await store.slice(DUE_HOURS, [shard, day], { limit: 1 });
        if (first !== undefined) await store.dropPartition(DUE_HOURS, [shard, day]);
      }
    },
  };
}

function dayOf(minute: number): number {
  return Math.floor(minute / MINUTES_AN_HOUR / HOURS_A_DAY);
}

/** 66 bits: they tell apart what was set under one name for one instant, a handful of timers at most. */
const DIGEST_CHARACTERS = 11;

/**
 * The id of a timer: its name, and a digest of all that its row holds. A row of `due` is written once, so a timer that
 * is set again for the same instant must be the same row exactly when it fires the same. Under its name alone, one that
 * fires other Variants, or that a later release encodes in another way, would be a second body for the first one's row,
 * and the store would keep either of them.
 *
 * `trace`: that of whoever sets it; it is in the id and not in the body, so that it can not make a second body, and a
 * release that knows of no traces fires the row as any other.
 */
export function timerIdOf(
  name: string,
  { topic, key, payload }: Pick<DueTimer, 'topic' | 'key' | 'payload'>,
  trace?: string,
): string {
  const digest = createHash('sha256').update(`${BODY_FORMAT}\0${topic}\0${key}\0`).update(payload).digest('base64url');
  const id = `${name} ${digest.slice(0, DIGEST_CHARACTERS)}`;
  return trace === undefined || !isSampled(trace) ? id : `${id} ${trace}`;
}

/** What its setter called it: the digest and the trace at the end of its id say nothing to a person. */
export function nameOfTimer(timerId: string): string {
  const trace = traceOfTimer(timerId);
  const id = trace === undefined ? timerId : timerId.slice(0, -trace.length - 1);
  return id.slice(0, id.lastIndexOf(' '));
}

/** The trace in which a timer was set, where somebody keeps it: it stands at the end of the timer's id. */
export function traceOfTimer(timerId: string): string | undefined {
  return traceparentOf(timerId.slice(timerId.lastIndexOf(' ') + 1));
}

function rowOf(timer: DueTimer): RowWrite {
  return {
    partition: [timer.shard, minuteOf(timer.dueAt)],
    clustering: [timer.dueAt, timer.timerId],
    body: pack(timer),
    format: BODY_FORMAT,
  };
}

/** topic, 0, key, 0, payload: neither topics nor keys hold a NUL. */
function pack(timer: DueTimer): Uint8Array {
  return Buffer.concat([Buffer.from(`${timer.topic}\0${timer.key}\0`, 'utf8'), timer.payload]);
}

/** The body of a row, with its payload changed. */
export function withPayload(body: Uint8Array, change: (payload: Uint8Array) => Uint8Array): Uint8Array {
  const { bytes, keyEnd } = unpack(body);
  return Buffer.concat([bytes.subarray(0, keyEnd + 1), change(bytes.subarray(keyEnd + 1))]);
}

function unpack(body: Uint8Array): { readonly bytes: Buffer; readonly topicEnd: number; readonly keyEnd: number } {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const topicEnd = bytes.indexOf(0);
  return { bytes, topicEnd, keyEnd: bytes.indexOf(0, topicEnd + 1) };
}

function timerOf(shard: number, row: Row): DueTimer {
  const { bytes, topicEnd, keyEnd } = unpack(row.body);
  return {
    shard,
    timerId: row.clustering[1] as string,
    dueAt: row.clustering[0] as number,
    topic: bytes.toString('utf8', 0, topicEnd),
    key: bytes.toString('utf8', topicEnd + 1, keyEnd),
    payload: bytes.subarray(keyEnd + 1),
  };
}
