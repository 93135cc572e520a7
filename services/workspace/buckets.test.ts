import { describe, expect, test } from 'vitest';
import { weekOf } from '#domain/calendar.ts';
import { NO_LOADS } from '#domain/workspace/loads.ts';
import { PortError } from '#ports/errors.ts';
import { POSTS } from '#tables/declarations/tables.ts';
import { readPost, readPostContent } from '#tables/repositories/posts.ts';
import { RULES } from '#testing/scenario.ts';
import {
  aBusyLife,
  bucketsOf,
  live,
  POSTS_OF_THE_LIFE,
  seen,
  UNKNOWN_DIGESTS,
  withoutBuckets,
} from './buckets.fixture.ts';
import { PostCache } from './post-cache.ts';
import { TurnView } from './view.ts';
import { openWorkspaceHarness, SMALL_BUCKETS } from './workspace-harness.fixture.ts';

const MAX_STEPS = 600;
const STORES = ['partition', 'store', 'sqlite'] as const;

describe.each(STORES)('a Workspace whose day, week and month have several buckets, in a store of kind %s', (kind) => {
  test('shows what one with large buckets shows, in the same order', async () => {
    const life = aBusyLife();
    const [small, large] = [openWorkspaceHarness(kind), openWorkspaceHarness(kind)];
    await live(small, life);
    await live(large, life, { writtenFormat: SMALL_BUCKETS.writtenFormat });
    expect(await bucketsOf(large, life)).toEqual([1, 1, 1]);
    const [days, weeks, months] = await bucketsOf(small, life);
    expect([days, weeks! > 1, months! > 1]).toEqual([POSTS_OF_THE_LIFE, true, true]);
    expect(await seen(small, life)).toEqual(await seen(large, life));
  });

  test('has each Post read by its id, and no other', async () => {
    const life = aBusyLife();
    const harness = openWorkspaceHarness(kind);
    await live(harness, life);
    for (const postId of life.postIds) {
      const post = await readPost(harness.store, life.scenario.id, postId);
      expect(withoutBuckets(post!)).toEqual(life.scenario.posts.get(postId));
      expect((await readPostContent(harness.store, life.scenario.id, postId))?.text).toBe(post!.text);
      const other = `${postId.slice(0, -4)}ff00`;
      expect(await readPost(harness.store, life.scenario.id, other)).toBeNull();
    }
  });

  test('has a sweep come to every Post of a week, whatever it takes at once', async () => {
    const life = aBusyLife();
    const harness = openWorkspaceHarness(kind);
    await live(harness, life);
    const week = weekOf(life.scenario.posts.get(life.postIds[0]!)!.scheduledAt!);
    for (let limit = 1; limit <= POSTS_OF_THE_LIFE + 1; limit++) {
      const swept: string[] = [];
      for (let afterPostId: string | null = null, ended = false; !ended; afterPostId = swept.at(-1)!) {
        const { id: workspaceId } = life.scenario;
        const view = new TurnView({ workspaceId, store: harness.store, posts: new PostCache(1), ...UNKNOWN_DIGESTS });
        const { dueWeek } = await view.of({ ...NO_LOADS, dueWeek: { week, afterPostId, limit } });
        expect(dueWeek!.postIds.length).toBeLessThanOrEqual(limit);
        swept.push(...dueWeek!.postIds);
        ({ ended } = dueWeek!);
      }
      expect(swept).toEqual(life.postIds.toReversed());
    }
  });
});

test('an owner whose rows were not written goes by what another owner wrote meanwhile', async () => {
  const life = aBusyLife();
  const [harness, reference] = [openWorkspaceHarness(), openWorkspaceHarness()];
  await live(reference, life);
  let isAway = false;
  const interrupt = async (step: string): Promise<void> => {
    if (isAway && step === `before upsert ${POSTS.name}`) throw new PortError('unavailable', 'the store is away');
  };
  const one = harness.actor(life.scenario.id, interrupt, RULES, SMALL_BUCKETS);
  const other = harness.actor(life.scenario.id, undefined, RULES, SMALL_BUCKETS);
  for (const [index, command] of life.commands.entries()) {
    // Of each three commands it commits the first, and hears of the second no more than that there was one.
    isAway = index % 3 === 0;
    if (isAway) await one.handle([command]).catch((error: unknown) => expect(error).toBeInstanceOf(PortError));
    else await harness.handle(index % 3 === 1 ? other : one, [command]);
    if (index % 3 === 1) other.forget();
  }
  await harness.rest();
  expect(await seen(harness, life)).toEqual(await seen(reference, life));
  expect(await bucketsOf(harness, life)).toEqual(await bucketsOf(reference, life));
});

describe.each(['partition', 'store', 'store_and_log'] as const)(
  'between any two steps of turns that open buckets, the atom a %s',
  (atom) => {
    const life = aBusyLife();
    const reference = (async () => {
      const harness = openWorkspaceHarness();
      await live(harness, life, { writtenFormat: SMALL_BUCKETS.writtenFormat });
      return seen(harness, life);
    })();

    /** Runs the life with an owner that stops at a step; a second owner has it all again. */
    async function interrupted(stopAt: number, stop: (step: string) => Promise<void>) {
      const harness = openWorkspaceHarness(atom);
      let steps = 0;
      const { promise: stopped, resolve } = Promise.withResolvers<string>();
      const interrupt = async (step: string): Promise<void> => {
        if (++steps !== stopAt) return;
        resolve(step);
        await stop(step);
      };
      const first = harness.actor(life.scenario.id, interrupt, RULES, SMALL_BUCKETS);
      const run = async (): Promise<null> => {
        for (const command of life.commands) await harness.handle(first, [command]);
        return null;
      };
      const ended = run();
      return { harness, at: await Promise.race([stopped, ended]), ended };
    }

    test('an owner is killed: the next one finds every bucket, and opens no other', async () => {
      for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
        const { harness, at } = await interrupted(stopAt, () => new Promise(() => {}));
        await live(harness, life);
        expect(await seen(harness, life), `killed ${at}`).toEqual(await reference);
        expect((await bucketsOf(harness, life))[0], `killed ${at}`).toBe(POSTS_OF_THE_LIFE);
        if (at === null) return;
      }
      throw new Error('the life never ended');
    });

    test('an owner is held up, and goes on after another one did it all: nothing moves', async () => {
      for (let stopAt = 1; stopAt < MAX_STEPS; stopAt += 3) {
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        const { harness, at, ended } = await interrupted(stopAt, () => released);
        const next = harness.actor(life.scenario.id, undefined, RULES, SMALL_BUCKETS);
        for (const command of life.commands) await harness.handle(next, [command]);
        release();
        await ended;
        await harness.rest();
        expect(await seen(harness, life), `held up ${at}`).toEqual(await reference);
        if (at === null) return;
      }
      throw new Error('the life never ended');
    });

    test('one step fails and is tried again: what the owner knew of buckets is what is written', async () => {
      for (let failAt = 1; failAt < MAX_STEPS; failAt++) {
        const { harness, at, ended } = await interrupted(failAt, async (step) => {
          throw new PortError('unavailable', `failed ${step}`);
        });
        await ended;
        await harness.rest();
        expect(await seen(harness, life), `failed ${at}`).toEqual(await reference);
        if (at === null) return;
      }
      throw new Error('the life never ended');
    });
  },
);
