import {
  type MessageEffect,
  type PendingEffects,
  type RowEffect,
  turnTimestamp,
} from '#tables/rows/pending-effects.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Table, TurnWrite } from '#ports/table.ts';
import { BODY_FORMAT, encodeBody, VOID_BODY } from '#tables/rows/body.ts';
import { TABLES } from '#tables/declarations/tables.ts';
import type { Codec } from '#messages/messages.ts';
import type { Log } from '#ports/log.ts';
import { setTimers, type TimerOptions } from './timers.ts';

const BY_NAME = new Map(TABLES.map((table) => [table.name, table]));

/** A row as its store takes it, but for the timestamp of a turn that is not made yet. */
export interface EncodedRow {
  readonly table: Table;
  readonly write: Omit<TurnWrite, 'timestamp'>;
}

export function encodeRow(effect: RowEffect): EncodedRow {
  const table = BY_NAME.get(effect.table);
  if (table === undefined) throw new Error(`no table is named ${effect.table}`);
  const write = {
    partition: effect.partition,
    clustering: effect.clustering,
    body: effect.value === null ? VOID_BODY : encodeBody(effect.value),
    format: BODY_FORMAT,
    ...(effect.ttlSeconds === undefined ? {} : { ttlSeconds: effect.ttlSeconds }),
  };
  return { table, write };
}

/** Writes what readers see of the turn that made `version`. Rejects with `PortError`; repeating is harmless. */
export async function writeRows(store: TableStore, rows: readonly EncodedRow[], version: number): Promise<void> {
  await Promise.all(stampedRows(rows, version).map(({ table, upsert }) => store.upsert(table, upsert)));
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

/** Sends a turn's timers and messages, after its rows, which the receivers of messages read. Repeating is harmless. */
export async function sendMessages(parts: TimerOptions, pending: PendingEffects): Promise<void> {
  await Promise.all([setTimers(parts, pending.timers), appendMessages(parts, pending.messages)]);
}

export async function appendMessages(
  { log, codec }: { readonly log: Pick<Log, 'append'>; readonly codec: Codec },
  messages: readonly MessageEffect[],
): Promise<void> {
  const byTopic = Map.groupBy(messages, (effect) => effect.topic);
  await Promise.all(
    [...byTopic].map(([topic, effects]) =>
      log.append(
        topic,
        effects.map(({ key, message }) => ({ key, value: codec.encode(message) })),
      ),
    ),
  );
}

/** Carries out a whole outbox, in the order that readers may rely on. */
export async function relayPending(
  parts: TimerOptions & { readonly store: TableStore },
  pending: PendingEffects,
  version: number,
): Promise<void> {
  await writeRows(parts.store, owedRows(pending), version);
  await sendMessages(parts, pending);
}

/**
 * Rows in the format of the release that wrote the outbox. It may have written some of them before it ended, and the
 * same row in another format would be a second body at the turn's timestamp; the values are of that format too.
 */
function owedRows({ format, rows }: PendingEffects): readonly EncodedRow[] {
  return rows.map(encodeRow).map(({ table, write }) => ({ table, write: { ...write, format } }));
}
