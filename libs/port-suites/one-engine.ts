import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
import type { ConditionalWrite, TableStore } from '#ports/table-store.ts';
import { bytes, freshOwner, HEADS, ONCE_ROWS, textOf } from './table-store-fixtures.ts';
import { FIRST, record, SECOND } from './log-harness.ts';
import { Reader } from './log-reader.ts';

/** A log and a store that are one, whose next conditional write with appends can be made to fail once it was read. */
export interface OneEngineHarness {
  readonly log: Log;
  readonly store: TableStore;
  /** Until the function that it returns is called. */
  refuse(): Promise<() => void>;
  dispose(): Promise<void>;
}

const HEAD = ['head', ''];

function write(owner: string, expected: number | null, keys: readonly string[]): ConditionalWrite {
  const version = (expected ?? 0) + 1;
  return {
    partition: [owner],
    clustering: HEAD,
    expected,
    next: { version, token: `token ${version}`, body: bytes(`head ${version}`), format: 1 },
    implied: [
      {
        table: ONCE_ROWS,
        insert: [{ partition: [owner], clustering: [version, 'a'], body: bytes('once'), format: 1 }],
      },
    ],
    appends: [
      { topic: FIRST.name, records: keys.map((key) => record(key, 0)) },
      { topic: SECOND.name, records: keys.map((key) => record(key, 1)) },
    ],
  };
}

/** What a store must do whose conditional writes append to the log. */
export function oneEngineSuite(name: string, open: () => Promise<OneEngineHarness>): void {
  describe(`${name}: records that are appended with a head`, () => {
    let harness: OneEngineHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.dispose();
    });
    const seenBy = async (store: TableStore, owner: string) => [
      textOf(await store.read(HEADS, [owner], HEAD)),
      (await store.slice(ONCE_ROWS, [owner], { limit: 10 })).length,
    ];

    test('are there with it, in the order of the calls, and not without it', async () => {
      const { log, store } = harness;
      const owner = freshOwner();
      const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name, SECOND.name] });
      await reader.untilOwns(6);
      const outcomes = await Promise.all([
        store.compareAndSet(HEADS, write(owner, null, ['a', 'b'])),
        log.append(FIRST.name, [record('c', 0)]),
        store.compareAndSet(HEADS, write(owner, 7, ['never'])),
        store.compareAndSet(HEADS, write(owner, 1, ['d'])),
      ]);
      expect(outcomes.map((outcome) => ('applied' in outcome ? outcome.applied : null))).toEqual([
        true,
        null,
        false,
        true,
      ]);
      await log.append(SECOND.name, [record('e', 1)]);
      await reader.until(() => expect(reader.keys({ topic: SECOND.name, partition: 1 })).toEqual(['a', 'b', 'd', 'e']));
      expect(reader.keys({ topic: FIRST.name, partition: 0 }).toSorted()).toEqual(['a', 'b', 'c', 'd']);
      expect(await seenBy(store, owner)).toEqual(['head 2', 2]);
    });

    test('are read before they are durable with all that they stand on, which others do not see by then', async () => {
      const { log, store } = harness;
      const owner = freshOwner();
      await store.compareAndSet(HEADS, write(freshOwner(), null, ['makes the tables']));
      const order: string[] = [];
      const reader = await Reader.open(log, {
        group: 'early',
        topics: [FIRST.name],
        reads: 'appended',
        onRecords: (_reader, _source, records) => {
          const keys = records.map(({ key }) => key).join(' ');
          if (keys !== 'a') return;
          void seenBy(store.unsynced ?? store, owner).then((seen) => order.push(`early ${seen.join(' ')}`));
          void seenBy(store, owner).then((seen) => order.push(`others ${seen.join(' ')}`));
        },
      });
      await reader.until(() => expect(reader.keys()).toEqual(['makes the tables']));
      const written = store.compareAndSet(HEADS, write(owner, null, ['a'])).then(() => order.push('durable'));
      await written;
      await reader.until(() => expect(order).toHaveLength(3));
      expect(order[0]).toBe('early head 1 1');
      expect(order.toSorted()).toEqual(['durable', 'early head 1 1', 'others head 1 1']);
    });

    test('are taken back together with it, before its caller hears of it, and what comes after is read on', async () => {
      const { log, store } = harness;
      const owner = freshOwner();
      await store.compareAndSet(HEADS, write(owner, null, ['kept']));
      const early = await Reader.open(log, { group: 'early', topics: [FIRST.name, SECOND.name], reads: 'appended' });
      const late = await Reader.open(log, { group: 'late', topics: [FIRST.name] });
      await early.until(() => expect(early.keys()).toEqual(['kept', 'kept']));
      early.history.length = 0;
      const accept = await harness.refuse();
      const atRejection = await store.compareAndSet(HEADS, write(owner, 1, ['gone'])).catch((error: unknown) => ({
        error,
        history: early.history.toSorted(),
      }));
      expect(atRejection).toMatchObject({
        error: { name: 'PortError', kind: 'unavailable' },
        history: ['revoked suite.first.v1/0', 'revoked suite.second.v1/1'],
      });
      accept();
      expect(early.keys().filter((key) => key === 'gone')).toHaveLength(2);
      expect(await seenBy(store, owner)).toEqual(['head 1', 1]);
      expect(await seenBy(store.unsynced ?? store, owner)).toEqual(['head 1', 1]);
      expect(await store.compareAndSet(HEADS, write(owner, 1, ['after']))).toEqual({ applied: true });
      await late.until(() => expect(late.keys()).toEqual(['kept', 'after']));
      expect(await seenBy(store, owner)).toEqual(['head 2', 2]);
    });
  });
}
