import { beforeEach, describe, expect, test } from 'vitest';
import { variantIdOf } from '#domain/post/ids.ts';
import { CRASH, OldWorkspace, STORES } from './old-posts.fixture.ts';
import { DAY } from '#testing/scenario.ts';
import { SMALL_BUCKETS } from './workspace-harness.fixture.ts';

describe.each(STORES)('in a store of kind %s', (kind) => {
  let world: OldWorkspace;
  beforeEach(async () => {
    world = await OldWorkspace.open(kind);
  });

  test('a Post is there until 400 days after its last Variant has ended, and then it is gone with all of its rows', async () => {
    await world.age(399 * DAY);
    await world.round();
    expect(await world.postIds()).toEqual(world.ids);
    await world.age(2 * DAY);
    await world.round();
    expect(await world.postIds()).toEqual([]);
    expect(await world.left()).toEqual([]);
    expect(world.removed()).toBe(2);
  });

  test('Posts go from every bucket of their day and of their week, and then so do day and week', async () => {
    const busy = await OldWorkspace.open(kind, 6, SMALL_BUCKETS);
    expect(await busy.buckets()).toEqual([7, 4]);
    await busy.age(401 * DAY);
    await busy.round();
    expect(await busy.postIds()).toEqual([]);
    expect(await busy.left()).toEqual([]);
    expect(busy.removed()).toBe(8);
    expect((await busy.buckets())[0]).toBe(0);
    // A week goes a week after the last day in it.
    await busy.age(8 * DAY);
    await busy.round();
    expect(await busy.buckets()).toEqual([0, 0]);
  });

  test('a Post that was removed is as one that never was: no list has it, and nothing can be done about it', async () => {
    await world.age(401 * DAY);
    await world.round();
    const [now] = world.ids;
    const retry = await world.ask({ type: 'RetryVariant', variantId: variantIdOf(now!, 2) });
    const cancel = await world.ask({ type: 'CancelPost', postId: now! });
    const never = await world.ask({ type: 'CancelPost', postId: world.neverCreated });
    expect([retry, cancel]).toMatchObject([
      { ok: false, code: 'not_found' },
      { ok: false, code: 'not_found' },
    ]);
    expect(cancel).toEqual(never);
    // The day's entry of the directory went with its last Post, so that lists do not look there.
    expect(await world.writtenDays()).toEqual([]);
  });

  test('reports of old attempts, read again from a backup, change nothing', async () => {
    await world.age(401 * DAY);
    await world.round();
    await world.reportAgain();
    expect(await world.postIds()).toEqual([]);
    expect(await world.left()).toEqual([]);
  });

  test('a Variant that is retried on the last day keeps its Post, whatever the round saw of it', async () => {
    await world.age(401 * DAY);
    const [now, later] = world.ids;
    await world.retryBetween(now!);
    expect(await world.postIds()).toEqual([now]);
    expect(await world.hasLedger(now!)).toBe(true);
    expect(world.ids).toContain(later);
  });

  test('what a Network said less than 400 days ago keeps the Post', async () => {
    await world.sayAgain(10 * DAY);
    await world.age(401 * DAY);
    await world.round();
    expect(await world.postIds()).toEqual([world.ids[0]]);
    await world.age(10 * DAY);
    await world.round();
    expect(await world.postIds()).toEqual([]);
  });
});

test('whichever two steps a process ends between, the next one leaves nothing, and nothing twice', async () => {
  let crashes = 0;
  for (let steps = 1; ; steps++) {
    const world = await OldWorkspace.open('partition');
    await world.age(401 * DAY);
    const ended = await world.roundThatEndsAfter(steps);
    if (ended !== CRASH) break;
    crashes += 1;
    // As long as the Post is there, its ledger is, too: else the Variant could be published again.
    for (const id of await world.postIds()) expect(await world.hasLedger(id), `after ${steps} steps`).toBe(true);
    await world.round();
    expect(await world.postIds(), `after ${steps} steps`).toEqual([]);
    expect(await world.left(), `after ${steps} steps`).toEqual([]);
  }
  expect(crashes).toBeGreaterThan(20);
});

test('a day of many Posts is removed a hundred at a time, and no statement asks for all of it', async () => {
  const world = await OldWorkspace.open('partition', 250);
  await world.age(401 * DAY);
  await world.round();
  expect(await world.postIds()).toEqual([]);
  expect(world.most()).toMatchObject({ postsATurn: 100 });
  expect(world.most().rowsAsked).toBeLessThanOrEqual(2_000);
});
