import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import type { Key, KeyValue, SliceOptions, Table } from '#ports/table.ts';
import { TURN_MIXED, freshOwner, textOf, turnRow } from './table-store-fixtures.ts';

interface ModelRow {
  readonly clustering: Key;
  readonly content: string;
  readonly timestamp: number;
}

/** A turn table in its simplest form: a list that is sorted and filtered anew for every read. */
class TurnModel {
  readonly #table: Table;
  readonly #rows = new Map<string, ModelRow>();

  constructor(table: Table) {
    this.#table = table;
  }

  upsert(clustering: Key, content: string, timestamp: number): void {
    const present = this.#rows.get(JSON.stringify(clustering));
    if (present === undefined || timestamp > present.timestamp)
      this.#rows.set(JSON.stringify(clustering), { clustering, content, timestamp });
  }

  read(clustering: Key): string | null {
    return this.#rows.get(JSON.stringify(clustering))?.content ?? null;
  }

  slice({ prefix = [], from, after, until, limit }: SliceOptions): readonly { clustering: Key; content: string }[] {
    return [...this.#rows.values()]
      .filter(({ clustering }) => this.#compare(clustering, prefix) === 0)
      .filter(({ clustering }) => from === undefined || this.#compare(clustering, [...prefix, ...from]) >= 0)
      .filter(({ clustering }) => after === undefined || this.#compare(clustering, [...prefix, ...after]) > 0)
      .filter(({ clustering }) => until === undefined || this.#compare(clustering, [...prefix, ...until]) < 0)
      .sort((a, b) => this.#compare(a.clustering, b.clustering))
      .slice(0, limit)
      .map(({ clustering, content }) => ({ clustering, content }));
  }

  /** Compares only as many columns as the bound has. */
  #compare(clustering: Key, bound: Key): number {
    for (const [index, value] of bound.entries()) {
      const order = compare(clustering[index]!, value);
      if (order !== 0) return this.#table.clusteringKey[index]!.order === 'desc' ? -order : order;
    }
    return 0;
  }
}

function compare(a: KeyValue, b: KeyValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

/** Few values, so that keys collide; characters of one to four bytes. */
const ids = fc.constantFrom('', 'a', 'b', '\uffee', '\u{1f600}');
const parts = fc.constantFrom(-1, 0, 3);
const clusteringKeys = fc.tuple(ids, parts, ids);
const bounds = fc.oneof(fc.tuple(ids), fc.tuple(ids, parts), clusteringKeys);
const slices = fc
  .record({
    prefixColumns: fc.integer({ min: 0, max: 2 }),
    start: fc.option(fc.record({ kind: fc.constantFrom('from', 'after'), key: bounds }), { nil: undefined }),
    until: fc.option(bounds, { nil: undefined }),
    key: clusteringKeys,
    limit: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ prefixColumns, start, until, key, limit }): SliceOptions => {
    const rest = (bound: Key | undefined) =>
      bound !== undefined && bound.length > prefixColumns ? bound.slice(prefixColumns) : undefined;
    const [first, last] = [rest(start?.key), rest(until)];
    return {
      prefix: key.slice(0, prefixColumns),
      limit,
      ...(first && { [start!.kind]: first }),
      ...(last && { until: last }),
    };
  });
const writes = fc.array(fc.record({ key: clusteringKeys, timestamp: fc.integer({ min: 1, max: 20 }) }), {
  minLength: 1,
  maxLength: 12,
});

export function againstModel(store: () => TableStore): void {
  test(
    'any turns in any order, read in any way, give the same rows as a sorted list',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(writes, { minLength: 1, maxLength: 6 }),
          fc.array(slices, { minLength: 1, maxLength: 6 }),
          async (turns, questions) => {
            const partition = [freshOwner(), 1];
            const model = new TurnModel(TURN_MIXED);
            for (const turn of turns) {
              // A row's content follows from its timestamp: two bodies at one timestamp are outside of what the port
              // allows.
              const rows = new Map(
                turn.map(({ key, timestamp }) => [
                  JSON.stringify(key),
                  turnRow(partition, key, `at ${timestamp}`, timestamp),
                ]),
              );
              await store().upsert(TURN_MIXED, [...rows.values()]);
              for (const row of rows.values()) model.upsert(row.clustering, `at ${row.timestamp}`, row.timestamp);
            }
            for (const question of questions) {
              const rows = await store().slice(TURN_MIXED, partition, question);
              expect(rows.map((row) => ({ clustering: row.clustering, content: textOf(row) }))).toEqual(
                model.slice(question),
              );
            }
            const key = turns[0]![0]!.key;
            expect(textOf(await store().read(TURN_MIXED, partition, key))).toBe(model.read(key));
          },
        ),
        { numRuns: 60 },
      );
    },
  );
}
