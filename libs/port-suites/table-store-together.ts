import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import type { ImpliedRows } from '#ports/table.ts';
import {
  ONCE_ROWS,
  TURN_SINGLE,
  TURN_TEXTS,
  expectRefused,
  freshOwner,
  onceRow,
  textOf,
  turnRow,
} from './table-store-fixtures.ts';

/** Rows of several tables in as few requests as the store can; of a store for which that is nothing, no tests. */
export function writesTogether(store: () => TableStore): void {
  const together = (writes: readonly ImpliedRows[]): Promise<void> => store().writeTogether!(writes);
  const written = async (owner: string) => [
    textOf(await store().read(TURN_TEXTS, [owner], ['a'])),
    textOf(await store().read(TURN_SINGLE, [owner], [])),
    textOf(await store().read(ONCE_ROWS, [owner], [1, 'a'])),
  ];

  describe('rows of several tables together', () => {
    const open = (name: string, run: () => Promise<void>): void =>
      test(name, async (context) => {
        if (store().writeTogether === undefined) context.skip();
        await run();
      });

    open('are written, each as by its own call', async () => {
      const owner = freshOwner();
      const writes = (content: string, timestamp: number): readonly ImpliedRows[] => [
        { table: TURN_TEXTS, upsert: [turnRow([owner], ['a'], content, timestamp)] },
        { table: TURN_SINGLE, upsert: [turnRow([owner], [], content, timestamp)] },
        { table: ONCE_ROWS, insert: [onceRow(owner, 'once')] },
      ];
      await together(writes('newer', 7));
      expect(await written(owner)).toEqual(['newer', 'newer', 'once']);
      await together(writes('older', 6));
      expect(await written(owner)).toEqual(['newer', 'newer', 'once']);
      await together(writes('newest', 8));
      expect(await written(owner)).toEqual(['newest', 'newest', 'once']);
      await together([]);
    });

    open('are written where they are of many partitions, or large', async () => {
      const owners = Array.from({ length: 30 }, freshOwner);
      const large = 'large '.repeat(2_000);
      await together([
        { table: TURN_TEXTS, upsert: owners.map((owner) => turnRow([owner], ['a'], owner, 5)) },
        { table: TURN_SINGLE, upsert: [turnRow([owners[0]!], [], large, 5)] },
        { table: ONCE_ROWS, insert: owners.map((owner) => onceRow(owner, owner)) },
      ]);
      const [first, ...others] = owners;
      expect(await written(first!)).toEqual([first, large, first]);
      for (const owner of others) expect(await written(owner)).toEqual([owner, null, owner]);
    });

    open('are all refused with one of them', async () => {
      const owner = freshOwner();
      await expectRefused(() =>
        together([
          { table: TURN_TEXTS, upsert: [turnRow([owner], ['a'], 'turn', 5)] },
          { table: ONCE_ROWS, insert: [{ ...onceRow(owner, 'once'), clustering: ['no number', 'a'] }] },
        ]),
      );
      expect(await written(owner)).toEqual([null, null, null]);
    });
  });
}
