import {
  type MessageEffect,
  type PendingEffects,
  type RowEffect,
  turnTimestamp,
} from '#tables/rows/pending-effects.ts';
import type { TableStore, TopicRecords } from '#ports/table-store.ts';
import type { ImpliedRows, Table, TurnWrite } from '#ports/table.ts';
import { encodeBody, VOID_BODY } from '#tables/rows/body.ts';
import { RECENT_CHANGES, TABLES } from '#tables/declarations/tables.ts';
import type { DueTimer, DueTimers } from '#tables/repositories/due.ts';
import type { Codec } from '#messages/messages.ts';
import { traceHeaders } from '#messages/message-headers.ts';
import type { Log } from '#ports/log.ts';
import { announceNearTimers, dueTimers, writeTimers, type TimerOptions } from './timers.ts';

const BY_NAME = new Map(TABLES.map((table) => [table.name, table]));

/** A row as its store takes it, but for the timestamp of a turn that is not made yet. */
export interface EncodedRow {
  readonly table: Table;
  readonly write: Omit<TurnWrite, 'timestamp'>;
}

/** `format`: that of the turn. */
export function encodeRow(effect: RowEffect, format: number): EncodedRow {
  const table = BY_NAME.get(effect.table);
  if (table === undefined) throw new Error(`no table is named ${effect.table}`);
  const write = {
    partition: effect.partition,
    clustering: effect.clustering,
    body: effect.value === null ? VOID_BODY : encodeBody(effect.value),
    format,
    ...(effect.ttlSeconds === undefined ? {} : { ttlSeconds: effect.ttlSeconds }),
  };
  return { table, write };
}

/** What a turn writes behind its head: the rows that readers see, and its timers. */
export interface TurnRows {
  readonly rows: readonly EncodedRow[];
  readonly timers: readonly DueTimer[];
  /** The version that the turn made. */
  readonly version: number;
}

/**
 * Writes what readers see of a turn, but for the row that tells them to look, and its timers. Rejects with `PortError`;
 * repeating is harmless.
 */
export async function writeRows(
  { store, due }: { readonly store: TableStore; readonly due: Pick<DueTimers, 'prepare'> },
  { rows, timers, version }: TurnRows,
): Promise<void> {
  const owed = await due.prepare(timers);
  const seen = rows.filter(({ table }) => table !== RECENT_CHANGES);
  await writeTogether(store, [...stampedRows(seen, version), ...owed]);
}

/**
 * Tells readers that there is something new to read. After `writeRows`: who was told before would read what was there
 * before, and would not be told again. Rejects with `PortError`; repeating is harmless.
 */
async function tellChanges(store: TableStore, rows: readonly EncodedRow[], version: number): Promise<void> {
  const telling = rows.filter(({ table }) => table === RECENT_CHANGES);
  await writeTogether(store, stampedRows(telling, version));
}

async function writeTogether(store: TableStore, writes: readonly ImpliedRows[]): Promise<void> {
  if (writes.length === 0) return;
  if (store.writeTogether !== undefined) return store.writeTogether(writes);
  const each = (write: ImpliedRows): Promise<void> =>
    'upsert' in write ? store.upsert(write.table, write.upsert) : store.insert(write.table, write.insert);
  await Promise.all(writes.map(each));
}

/** The rows by table, at the timestamp of the turn that makes `version`. */
export function stampedRows(
  rows: readonly EncodedRow[],
  version: number,
): readonly { readonly table: Table; readonly upsert: readonly TurnWrite[] }[] {
  const timestamp = turnTimestamp(version);
  const byTable = new Map<Table, TurnWrite[]>();
  for (const { table, write } of rows) {
    const writes = byTable.get(table);
    if (writes === undefined) byTable.set(table, [{ ...write, timestamp }]);
    else writes.push({ ...write, timestamp });
  }
  return [...byTable].map(([table, upsert]) => ({ table, upsert }));
}

export async function appendMessages(
  { log, codec }: { readonly log: Pick<Log, 'append'>; readonly codec: Codec },
  messages: readonly MessageEffect[],
): Promise<void> {
  await Promise.all(recordsOf(codec, messages).map(({ topic, records }) => log.append(topic, records)));
}

/** Messages as records, by topic. */
export function recordsOf(codec: Codec, messages: readonly MessageEffect[]): readonly TopicRecords[] {
  return [...Map.groupBy(messages, ({ topic }) => topic)].map(([topic, effects]) => ({
    topic,
    records: effects.map((effect) => ({
      key: effect.key,
      value: codec.encode(effect.message),
      ...traceHeaders(effect),
    })),
  }));
}

/** An outbox, to be carried out in two steps. Each rejects with `PortError`; repeating it is harmless. */
export interface Relay {
  /** Writes what receivers of its messages read. */
  write(): Promise<void>;
  /** After `write`: sends its messages, and writes the timers that `write` left and the row that tells readers. */
  send(): Promise<void>;
}

export interface RelayOptions extends TimerOptions {
  readonly store: TableStore;
}

/** What a turn owes: its outbox, the rows of that as they are written, and the version that the turn made. */
export interface OwedEffects {
  readonly pending: PendingEffects;
  readonly rows: readonly EncodedRow[];
  readonly version: number;
}

/** So few rows and timers are one request. */
const FEW_ROWS = 16;

/** Messages wait for the rows, which their receivers read, and for no timer, unless both are in one request. */
export function relayOf(options: RelayOptions, { pending, rows, version }: OwedEffects): Relay {
  const timers = dueTimers(options.codec, pending.timers);
  const [beside, behind] = rows.length + timers.length <= FEW_ROWS ? [timers, []] : [[], timers];
  return {
    write: () => writeRows(options, { rows, timers: beside, version }),
    send: async () => {
      await Promise.all([
        announceNearTimers(options, beside),
        writeTimers(options, behind),
        appendMessages(options, pending.messages),
        tellChanges(options.store, rows, version),
      ]);
    },
  };
}

/** Carries out the outbox that an owner before this one left. */
export async function relayPending(options: RelayOptions, pending: PendingEffects, version: number): Promise<void> {
  const relay = relayOf(options, { pending, rows: owedRows(pending), version });
  await relay.write();
  await relay.send();
}

/**
 * Rows in the format of the turn that owes them. Its owner may have written some of them before it ended, and the same
 * row in another format would be a second body at the turn's timestamp; the values are of that format too.
 */
function owedRows({ format, rows }: PendingEffects): readonly EncodedRow[] {
  return rows.filter(isOfThisRelease).map((row) => encodeRow(row, format));
}

/**
 * A newer release may have left a row of a table that this one does not know. Nothing here reads it, and the Workspace
 * goes on without it.
 */
function isOfThisRelease({ table }: RowEffect): boolean {
  return BY_NAME.has(table);
}
