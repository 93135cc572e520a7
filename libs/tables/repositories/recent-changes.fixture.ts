import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import { RECENT_CHANGES } from '../declarations/tables.ts';
import { BODY_FORMAT, encodeBody } from '../rows/body.ts';
import { turnTimestamp } from '../rows/pending-effects.ts';
import { changeRow, readChanges, type RecentChange } from './recent-changes.ts';
import type { TwoStores } from './two-stores.fixture.ts';

const HOUR_MS = 3_600_000;
/** In the middle of an hour. */
const NOW = 495_000.5 * HOUR_MS;

const change = (version: number, about: Partial<RecentChange> = {}): RecentChange => ({
  version,
  at: NOW,
  postIds: [`post ${version}`],
  channels: false,
  ...about,
});

async function write(store: TableStore, changes: readonly RecentChange[], workspaceId = 'w'): Promise<void> {
  const rows = changes.map((each) => {
    const { partition, clustering, value, ttlSeconds } = changeRow(workspaceId, each);
    const timestamp = turnTimestamp(each.version);
    return { partition, clustering, body: encodeBody(value), format: BODY_FORMAT, timestamp, ttlSeconds: ttlSeconds! };
  });
  await store.upsert(RECENT_CHANGES, rows);
}

/** What any store has to make true of recent changes. `open` gives two ways to the same tables. */
export function recentChangeRows(name: string, open: () => Promise<TwoStores>): void {
  describe(name, () => {
    const opened = async (work: (stores: TwoStores['stores']) => Promise<void>) => {
      const { stores, close } = await open();
      await work(stores).finally(close);
    };

    test('changes after a turn are read in the order of turns, as they were written, and of this Workspace alone', () =>
      opened(async ([writer, reader]) => {
        const changes = [change(3), change(4, { channels: true, postIds: [] }), change(9), change(10)];
        await write(writer, changes.toReversed());
        await write(writer, [change(5)], 'another');
        const read = (after: number) => readChanges(reader, 'w', { after, now: NOW });
        expect(await read(0)).toEqual(changes);
        expect(await read(4)).toEqual(changes.slice(2));
        expect(await read(10)).toEqual([]);
      }));

    test('a turn that is reported again, by two owners, is one change', () =>
      opened(async ([one, other]) => {
        await Promise.all([write(one, [change(3)]), write(other, [change(3)])]);
        expect(await readChanges(other, 'w', { after: 2, now: NOW })).toEqual([change(3)]);
      }));

    test('more changes than one slice has are all read', () =>
      opened(async ([writer, reader]) => {
        const changes = Array.from({ length: 450 }, (_, index) => change(index + 1));
        await write(writer, changes);
        expect(await readChanges(reader, 'w', { after: 0, now: NOW })).toEqual(changes);
      }));

    test.each([-5_000, -3_000, 0, 3_000, 5_000])(
      'the clock of an owner is %i ms off, around the end of an hour: its changes are read',
      (offMs) =>
        opened(async ([writer, reader]) => {
          for (const [index, now] of [-6_000, -1, 0, 1, 6_000].map((ms) => 495_000 * HOUR_MS + ms).entries()) {
            const version = index + 1;
            await write(writer, [change(version, { at: now + offMs })]);
            const read = await readChanges(reader, 'w', { after: index, now });
            expect(read.map((each) => each.version)).toEqual([version]);
          }
        }),
    );

    test('a change that its next owner wrote ten minutes late, in another hour, is read', () =>
      opened(async ([writer, reader]) => {
        const late = change(7, { at: 495_000 * HOUR_MS - 1 });
        await write(writer, [late]);
        expect(await readChanges(reader, 'w', { after: 6, now: late.at + 10 * 60_000 })).toEqual([late]);
      }));
  });
}
