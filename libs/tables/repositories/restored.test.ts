import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { heldMs, isHeld } from '#domain/publishing-holds.ts';
import { holdScope, readHolds, releaseScope } from './publishing-holds.ts';
import { markRestored, releaseRestored } from './restored.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const SUBJECT = { network: 'x', workspaceId: 'w' } as const;
const EVERYTHING = { network: null, workspaceId: null } as const;

function open() {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  return { clock, store, writer: { store, ids: createSeededIds(3) } };
}

test('a restored installation holds everything, since the instant that it is a copy of', async () => {
  const { clock, store } = open();
  const [backupAt, restoredAt] = [clock.now() - 60 * MINUTE, clock.now()];
  await markRestored(store, { backupAt, restoredAt });
  const { holds, periods, restoration } = await readHolds(store);
  expect(restoration).toEqual({ backupAt, restoredAt, released: null });
  expect(holds).toEqual([expect.objectContaining({ ...EVERYTHING, holder: 'restore', since: restoredAt })]);
  expect(holds[0]!.reason).toContain(`restored from a backup of ${new Date(backupAt).toISOString()}`);
  expect(isHeld(periods, SUBJECT)).toBe(true);
  // What was due meanwhile is not missed: its window stands still from the backup on.
  expect(heldMs(periods, SUBJECT, { from: backupAt, to: clock.now() })).toBe(60 * MINUTE);
});

test('no other release frees what a restore holds, and it frees nothing that others hold', async () => {
  const { clock, store, writer } = open();
  await holdScope(writer, { ...EVERYTHING, holder: 'operator', reason: 'why', since: clock.now(), by: 'Ada' });
  await markRestored(store, { backupAt: clock.now(), restoredAt: clock.now() });
  await releaseScope(writer, { ...EVERYTHING, holder: 'operator' }, clock.now());
  expect(isHeld((await readHolds(store)).periods, SUBJECT)).toBe(true);
  await holdScope(writer, { ...EVERYTHING, holder: 'owner', reason: 'why', since: clock.now(), by: 'Ada' });
  await releaseRestored(writer, { overdue: 'ask', by: 'Ada', now: clock.now() });
  expect((await readHolds(store)).holds).toEqual([expect.objectContaining({ holder: 'owner' })]);
});

test('the decision of the release is kept for good, is made once, and the next restore asks for another', async () => {
  const { clock, store, writer } = open();
  const backupAt = clock.now();
  expect(await releaseRestored(writer, { overdue: 'ask', by: 'Ada', now: clock.now() })).toBeNull();
  await markRestored(store, { backupAt, restoredAt: clock.now() + MINUTE });
  await markRestored(store, { backupAt, restoredAt: clock.now() + MINUTE });
  clock.moveWall(5 * MINUTE);
  const released = { overdue: 'fail', at: clock.now(), by: 'Ada' } as const;
  expect(await releaseRestored(writer, { ...released, now: clock.now() })).toMatchObject({ released });
  expect(await releaseRestored(writer, { ...released, overdue: 'publish', now: clock.now() })).toBeNull();
  const { holds, periods } = await readHolds(store);
  expect(holds).toEqual([]);
  expect(periods).toEqual([{ ...EVERYTHING, from: backupAt, until: clock.now() }]);
  clock.moveWall(400 * DAY);
  expect((await readHolds(store)).restoration).toMatchObject({ backupAt, released });
  await markRestored(store, { backupAt: clock.now(), restoredAt: clock.now() });
  expect((await readHolds(store)).restoration).toMatchObject({ backupAt: clock.now(), released: null });
});

test('a backup of a copy that is still held is restored: the window has stood still since the first of both backups', async () => {
  const { clock, store, writer } = open();
  const backupAt = clock.now();
  await markRestored(store, { backupAt, restoredAt: clock.now() + 10 * MINUTE });
  clock.moveWall(10 * DAY);
  const again = clock.now();
  // As an interrupted restore does.
  for (let run = 0; run < 2; run++) await markRestored(store, { backupAt: again, restoredAt: again + MINUTE });
  const { periods, restoration } = await readHolds(store);
  expect(heldMs(periods, SUBJECT, { from: backupAt, to: clock.now() })).toBe(10 * DAY);
  expect(restoration).toMatchObject({ backupAt: again, unknownSince: backupAt });

  clock.moveWall(5 * MINUTE);
  await releaseRestored(writer, { overdue: 'ask', by: 'Ada', now: clock.now() });
  expect((await readHolds(store)).periods).toEqual([{ ...EVERYTHING, from: backupAt, until: clock.now() }]);
  await markRestored(store, { backupAt: clock.now(), restoredAt: clock.now() });
  expect((await readHolds(store)).restoration).not.toHaveProperty('unknownSince');
});
