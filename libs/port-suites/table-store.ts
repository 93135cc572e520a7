import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import { conditionalWrites } from './table-store-conditional.ts';
import { impliedWrites } from './table-store-implied.ts';
import { ONCE_ROWS, TURN_TEXTS, bytes, freshOwner, textOf, turnRow } from './table-store-fixtures.ts';
import { tableLimits } from './table-store-limits.ts';
import { againstModel } from './table-store-model.ts';
import { reading } from './table-store-reading.ts';
import { writesTogether } from './table-store-together.ts';
import { twoBodies } from './table-store-two-bodies.ts';
import { onceWrites, turnWrites } from './table-store-writes.ts';

export { SUITE_TABLES } from './table-store-fixtures.ts';

export interface TableStoreUnderTest {
  readonly store: TableStore;
  /** Closes the store and opens it again on its stored rows: a restart. */
  reopen(): Promise<TableStore>;
  close(): Promise<void>;
}

/**
 * What every table store must do. `open` is called once; its tables are `SUITE_TABLES`. Every test writes to partitions
 * of its own, so a store may be shared with earlier runs. No test here moves time or waits for it.
 */
export function tableStoreSuite(name: string, open: () => Promise<TableStoreUnderTest>): void {
  describe(name, () => {
    let opened: TableStoreUnderTest;
    let current: TableStore;
    beforeAll(async () => {
      opened = await open();
      current = opened.store;
    });
    afterAll(() => opened?.close());
    const store = () => current;

    tableLimits(store);
    reading(store);
    turnWrites(store);
    onceWrites(store);
    twoBodies(store);
    conditionalWrites(store);
    impliedWrites(store);
    writesTogether(store);
    againstModel(store);

    test('check succeeds', async () => {
      await expect(store().check()).resolves.toBeUndefined();
    });

    test('a store opened again has everything that was acknowledged', async () => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['kept'], 'turn', 5)]);
      await store().insert(ONCE_ROWS, [
        { partition: [owner], clustering: [1, 'kept'], body: bytes('once'), format: 3 },
      ]);
      current = await opened.reopen();
      expect(textOf(await store().read(TURN_TEXTS, [owner], ['kept']))).toBe('turn');
      expect(await store().slice(ONCE_ROWS, [owner], { limit: 2 })).toMatchObject([
        { clustering: [1, 'kept'], format: 3 },
      ]);
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['kept'], 'older', 4)]);
      expect(textOf(await store().read(TURN_TEXTS, [owner], ['kept']))).toBe('turn');
    });
  });
}
