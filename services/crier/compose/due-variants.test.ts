import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { fullAfterRead } from '#adapters/sqlite/full-after-read.fixture.ts';
import type { Message } from '#messages/messages.ts';
import { createLedger } from '#tables/repositories/ledger.ts';
import { PUBLISH, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { openDueVariants, UNTIL_DUE_MS, type DueVariants } from './due-variants.fixture.ts';

// Variants that become due in an embedded process, where jobs are read before they are durable.
let folder: string;
let path: string;
let installation: DueVariants | null;
let called: string[];
let events: Message['type'][];
/** Called when X is. */
let onCalled: () => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  path = join(folder, 'crier.db');
  [called, events, onCalled] = [[], [], () => {}];
  installation = await openDueVariants({
    path,
    onCalled: (text) => {
      called.push(text);
      onCalled();
    },
    onEvent: ({ type }) => void events.push(type),
  });
});

afterEach(async () => {
  await installation?.close();
  rmSync(folder, { recursive: true });
});

function open(): DueVariants {
  if (installation === null) throw new Error('it is closed');
  return installation;
}

/** Lets time pass, a little at a time, until that many events came. */
async function untilEvents(count: number): Promise<void> {
  for (let step = 0; events.length < count; step++) {
    if (step > 1_000) throw new Error(`only ${events.length} of ${count} events came`);
    await open().clock.advance(100);
  }
}

describe('a Variant that becomes due', () => {
  test.each(['later', 'at once'] as const)(
    'is sent only once its turn and its arm can be read from the disk: %s',
    async (when) => {
      await open().post('the first, which makes the tables', 'at once');
      await untilEvents(1);
      const disk = openDatabase(path);
      const armed = disk.prepare(`SELECT count(*) AS n FROM publish_arms`);
      const jobs = disk.prepare(
        `SELECT count(*) AS n FROM records JOIN topics ON topics.id = source / 65536 WHERE name = ?`,
      );
      const seen: unknown[] = [];
      onCalled = () => seen.push([armed.get()?.['n'], jobs.get(PUBLISH.x.name)?.['n']]);
      for (let number = 1; number <= 3; number++) {
        await open().post(`${number}`, when);
        if (when === 'later') await open().clock.advance(UNTIL_DUE_MS);
        await untilEvents(number + 1);
      }
      closeDatabase(disk);
      expect(seen).toEqual([
        [2, 2],
        [3, 3],
        [4, 4],
      ]);
    },
  );

  test.each([
    ['the job', PUBLISH.x.name],
    ['VariantsDue, and later the report', WORKSPACE_COMMANDS.name],
  ])('is sent once if a commit fails after others read what was in it: %s', async (_, topic) => {
    const { database, commits, log, clock, store, post } = open();
    await post('the first, which makes the tables', 'at once');
    await untilEvents(1);
    const fillDisk = await fullAfterRead({ database, commits }, log, topic);
    const postId = await post('due', 'later');
    await clock.advance(UNTIL_DUE_MS - 1);
    const makeRoom = await fillDisk();
    await clock.advance(2_000);
    expect(called).toEqual(['the first, which makes the tables']);
    const variantId = `${postId.slice(0, -2)}01`;
    expect(await createLedger(store).readArm(variantId)).toBeNull();
    makeRoom();
    await untilEvents(2);
    expect(called).toEqual(['the first, which makes the tables', 'due']);
    expect(events).toEqual(['VariantPublished', 'VariantPublished']);
    expect((await createLedger(store).readArm(variantId))?.stage).toBe('armed');
    expect(await createLedger(store).attempts(variantId)).toMatchObject([{ outcome: 'published' }]);
  });

  test('is sent once if the commit of its evidence and report fails', async () => {
    const { database, commits, log, store, post } = open();
    await post('the first, which makes the tables', 'at once');
    await untilEvents(1);
    const fillDisk = await fullAfterRead({ database, commits }, log, WORKSPACE_COMMANDS.name);
    let makeRoom = (): void => {};
    onCalled = () => void fillDisk().then((make) => (makeRoom = make));
    const postId = await post('at once', 'at once');
    for (let step = 0; step < 20; step++) await open().clock.advance(100);
    expect(events).toHaveLength(1);
    makeRoom();
    await untilEvents(2);
    expect(called).toHaveLength(2);
    const variantId = `${postId.slice(0, -2)}01`;
    expect(await createLedger(store).attempts(variantId)).toMatchObject([{ outcome: 'published' }]);
  });
});
