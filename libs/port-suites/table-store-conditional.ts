import { describe, expect, test } from 'vitest';
import type { ConditionalOutcome, ConditionalWrite, TableStore } from '#ports/table-store.ts';
import type { RowWrite } from '#ports/table.ts';
import { HEADS, bytes, clusterings, freshOwner, textOf } from './table-store-fixtures.ts';

const HEAD = ['head', ''];

function write(
  owner: string,
  expected: number | null,
  token: string,
  rows: readonly RowWrite[] = [],
): ConditionalWrite {
  const version = (expected ?? 0) + 1;
  return {
    partition: [owner],
    clustering: HEAD,
    expected,
    next: { version, token, body: bytes(`by ${token}`), format: 2 },
    rows,
  };
}

function result(owner: string, key: string, content: string): RowWrite {
  return { partition: [owner], clustering: ['result', key], body: bytes(content), format: 1, ttlSeconds: 3600 };
}

export function conditionalWrites(store: () => TableStore): void {
  const head = (owner: string) => store().read(HEADS, [owner], HEAD, { serial: true });

  describe('conditional tables', () => {
    test('a head that must not exist is created once', async () => {
      const owner = freshOwner();
      expect(await store().compareAndSet(HEADS, write(owner, null, 'first'))).toEqual({ applied: true });
      const outcome = await store().compareAndSet(HEADS, write(owner, null, 'second'));
      expect(outcome).toMatchObject({
        applied: false,
        current: { version: 1, token: 'first', clustering: HEAD, partition: [owner], format: 2 },
      });
      expect(textOf(outcome.applied ? null : outcome.current)).toBe('by first');
      expect(await head(owner)).toMatchObject({ version: 1, token: 'first', format: 2 });
    });

    test('a head that must exist but does not is reported as absent, and nothing is written', async () => {
      const owner = freshOwner();
      const outcome = await store().compareAndSet(HEADS, write(owner, 4, 'mine', [result(owner, 'a', 'x')]));
      expect(outcome).toEqual({ applied: false, current: null });
      expect(await store().slice(HEADS, [owner], { limit: 10 })).toEqual([]);
    });

    test('a stale version is refused with the present head, and none of its rows are written', async () => {
      const owner = freshOwner();
      await store().compareAndSet(HEADS, write(owner, null, 'one', [result(owner, 'kept', '1')]));
      await store().compareAndSet(HEADS, write(owner, 1, 'two', [result(owner, 'more', '2')]));
      const stale = await store().compareAndSet(
        HEADS,
        write(owner, 1, 'three', [result(owner, 'kept', 'overwritten'), result(owner, 'lost', '3')]),
      );
      expect(stale).toMatchObject({ applied: false, current: { version: 2, token: 'two' } });
      const rows = await store().slice(HEADS, [owner], { limit: 10 });
      expect(rows.map((row) => [row.clustering, textOf(row), row.version, row.token])).toEqual([
        [HEAD, 'by two', 2, 'two'],
        [['result', 'kept'], '1', 1, 'one'],
        [['result', 'more'], '2', 2, 'two'],
      ]);
    });

    test('a version from the future is refused like a stale one', async () => {
      const owner = freshOwner();
      await store().compareAndSet(HEADS, write(owner, null, 'one'));
      expect(await store().compareAndSet(HEADS, write(owner, 7, 'eight'))).toMatchObject({
        applied: false,
        current: { version: 1 },
      });
    });

    test('rows are rewritten with the head, and an empty body is a value', async () => {
      const owner = freshOwner();
      await store().compareAndSet(HEADS, write(owner, null, 'one', [result(owner, 'a', 'old')]));
      const next = write(owner, 1, 'two', [result(owner, 'a', '')]);
      expect(await store().compareAndSet(HEADS, { ...next, next: { ...next.next, body: new Uint8Array(0) } })).toEqual({
        applied: true,
      });
      expect((await head(owner))?.body).toEqual(new Uint8Array(0));
      expect(await store().read(HEADS, [owner], ['result', 'a'], { serial: true })).toMatchObject({
        body: new Uint8Array(0),
        version: 2,
        token: 'two',
      });
    });

    test('the condition is on the head named, not on another row of the partition', async () => {
      const owner = freshOwner();
      await store().compareAndSet(HEADS, write(owner, null, 'one'));
      const other = { ...write(owner, null, 'other'), clustering: ['other', ''] };
      expect(await store().compareAndSet(HEADS, other)).toEqual({ applied: true });
      expect(await store().compareAndSet(HEADS, other)).toMatchObject({
        applied: false,
        current: { clustering: ['other', ''], token: 'other' },
      });
      expect(clusterings(await store().slice(HEADS, [owner], { prefix: ['head'], limit: 10 }))).toEqual([HEAD]);
    });

    test("of two racing owners exactly one wins each round, and the loser gets the winner's head", async () => {
      const owner = freshOwner();
      for (let round = 0; round < 10; round++) {
        const expected = round === 0 ? null : round;
        const [left, right] = await Promise.all(
          ['left', 'right'].map((side) =>
            store().compareAndSet(HEADS, write(owner, expected, `${side}-${round}`, [result(owner, `${round}`, side)])),
          ),
        );
        expect([left!.applied, right!.applied].toSorted()).toEqual([false, true]);
        const winner = left!.applied ? 'left' : 'right';
        expect(left!.applied ? right : left).toMatchObject({
          current: { token: `${winner}-${round}`, version: round + 1 },
        });
        expect(textOf(await store().read(HEADS, [owner], ['result', `${round}`]))).toBe(winner);
      }
    });

    test('fifty writers that each retry until they win lose nothing', { timeout: 120_000 }, async () => {
      const owner = freshOwner();
      const add = async (number: number): Promise<void> => {
        let expected: number | null = null;
        for (let tries = 0; tries < 500; tries++) {
          const outcome: ConditionalOutcome = await store().compareAndSet(
            HEADS,
            write(owner, expected, `writer-${number}`, [result(owner, String(number), 'won')]),
          );
          if (outcome.applied) return;
          expected = outcome.current?.version ?? null;
        }
        throw new Error(`writer ${number} never won`);
      };
      await Promise.all(Array.from({ length: 50 }, (_, number) => add(number)));
      expect((await head(owner))?.version).toBe(50);
      expect(await store().slice(HEADS, [owner], { prefix: ['result'], limit: 100 })).toHaveLength(50);
    });

    test('by a token of its own a writer finds out, reading serially, that its write was applied', async () => {
      const owner = freshOwner();
      await Promise.all([
        store().compareAndSet(HEADS, write(owner, null, 'aaaa')),
        store().compareAndSet(HEADS, write(owner, null, 'bbbb')),
      ]);
      const settled = await head(owner);
      expect(['aaaa', 'bbbb']).toContain(settled?.token);
      expect(textOf(settled)).toBe(`by ${settled?.token}`);
    });
  });
}
