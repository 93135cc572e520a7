import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from '#domain/json-size.ts';
import type { Network } from '#domain/network.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import { MAX_CREATION_BYTES, tooLarge } from '#domain/post/weight.ts';
import type { CreatePost } from '#domain/workspace/commands.ts';
import { networkLimits } from '#networks/registry.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { DAY, RULES } from '#testing/scenario.ts';
import { NO_LIMITS, WorkspaceWorld, type WorkspaceAnswer } from './post-life.fixture.ts';

const STORES = ['partition', 'sqlite'] as const;
/** As long as it is kept, of what JSON makes longest. */
const SAID: WorkspaceAnswer = { permalink: `https://network.test/${'長'.repeat(600)}`, detail: '"'.repeat(3_000) };
const MANY_SECONDS = 60_000;

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const tomorrow = (world: WorkspaceWorld) => world.harness.clock.now() + DAY;

/** The Post ended as it should, its events are whole and came to every endpoint's row, and nothing was left out. */
async function expectWhole(world: WorkspaceWorld, { postId }: CreatePost): Promise<void> {
  const post = await world.post(postId);
  expect(post.variants.filter(({ status }) => status !== 'published').map(({ status }) => status)).toEqual([]);
  const events = (await world.events()).filter((event) => event.postId === postId);
  const told = new Map(events.map(({ eventId, body }) => [eventId, body]));
  // A live Variant, or a failure, a retry that ended unconfirmed, and its late proof.
  expect(told.size).toBe(post.variants.reduce((sum, { attempt }) => sum + (attempt === 1 ? 1 : 3), 0));
  for (const { eventId, body, endpointIds } of events) {
    expect(body === told.get(eventId), 'the same bytes each time').toBe(true);
    expect(JSON.parse(body).data.post.text === post.text).toBe(true);
    expect(endpointIds).toHaveLength(10);
  }
  for (const event of events.slice(-2)) await world.makeDeliveries(event);
  await world.handle([
    world.scenario.ask({
      type: 'AddCredits',
      credits: 1,
      issuedAt: world.harness.clock.now(),
      notAfter: world.harness.clock.now() + 60_000,
    }),
  ]);
  await world.harness.rest();
  const beside = await world.harness.store.slice(WORKSPACES, [world.scenario.id], { prefix: ['event'], limit: 1_000 });
  expect(
    beside.filter(({ body }) => body.length > 0),
    'bodies that no head owes any more',
  ).toEqual([]);
  expect(world.deadLetters()).toEqual([]);
}

test.each(['partition', 'store', 'sqlite'] as const)(
  'a Post of 30 descriptions of 9,900 quotes on one tiktok Channel is taken, and fits through all of its life: %s',
  async (kind) => {
    const world = await WorkspaceWorld.open(kind, ['tiktok'], { rules: { ...RULES, limits: networkLimits } });
    const channels = Object.keys(world.scenario.workspace.channels);
    const post = world.creating({
      text: 'many quotes',
      channelOptions: Object.fromEntries(channels.map((id) => [id, { privacy: 'public' as const }])),
      scheduledAt: tomorrow(world),
      media: world.files(times(30, () => '"'.repeat(9_900))),
    });
    await world.handle([post]);
    expect(world.resultOf(post)).toMatchObject({ ok: true });
    await world.live(post, SAID, 4);
    await expectWhole(world, post);
  },
  MANY_SECONDS,
);

describe.each(STORES)('what is accepted fits through all of its life: %s', (kind) => {
  test(
    'a Post on 25 Channels, feed and Story, all of whose files fail at once',
    async () => {
      const world = await WorkspaceWorld.open(
        kind,
        times(25, () => 'facebook' as Network),
      );
      const channels = Object.keys(world.scenario.workspace.channels);
      const both = Object.fromEntries(channels.map((id) => [id, { placement: 'feed_and_story' as const }]));
      const post = world.creating({
        text: '長'.repeat(20_000),
        scheduledAt: tomorrow(world),
        media: world.files(['']),
        channelOptions: both,
      });
      await world.handle([post]);
      expect(world.resultOf(post)).toMatchObject({ ok: true });
      const variants = times(50, (index) => index + 1);
      await world.handle([
        {
          type: 'MediaFailed',
          workspaceId: world.scenario.id,
          postId: post.postId,
          attempt: 1,
          variants,
          detail: SAID.detail,
        },
      ]);
      expect((await world.post(post.postId)).variants.map(({ status }) => status)).toEqual(
        variants.map(() => 'failed'),
      );
      expect(new Set((await world.events()).map(({ eventId }) => eventId)).size).toBe(50);
      expect(world.deadLetters()).toEqual([]);
    },
    MANY_SECONDS,
  );

  test(
    '100 Posts together, each refused at length by 100 Channels',
    async () => {
      const problems = times(5, (index) => ({
        ...({ code: 'problem', part: 'text' } as const),
        message: `Problem ${index} of this Post, which takes some words to tell.`,
      }));
      const refusing = { network: 'threads' as const, judge: () => problems };
      const world = await WorkspaceWorld.open(
        kind,
        times(100, () => 'threads' as Network),
        { rules: { ...RULES, limits: { threads: refusing } } },
      );
      const posts = times(100, (index) => world.creating({ text: String(index), scheduledAt: tomorrow(world) }));
      await world.handle(posts);
      for (const post of posts) expect(world.resultOf(post)).toMatchObject({ ok: false, code: 'post_refused' });
    },
    MANY_SECONDS,
  );

  test(
    'several Posts of several hundred KB in one batch',
    async () => {
      const world = await WorkspaceWorld.open(kind, ['facebook', 'threads']);
      const posts = times(5, (index) =>
        world.creating({ text: `${index}${'\u0001'.repeat(99_000)}`, scheduledAt: tomorrow(world) }),
      );
      await world.handle(posts);
      for (const post of posts) expect(world.resultOf(post)).toMatchObject({ ok: true });
      await world.harness.clock.advance(2 * DAY);
      const due = posts.map(({ postId }) => ({ postId, attempt: 1, variants: [1, 2] }));
      await world.handle([{ type: 'VariantsDue', workspaceId: world.scenario.id, posts: due }]);
      for (const { postId } of posts)
        expect((await world.post(postId)).variants.map(({ status }) => status)).toEqual(['failed', 'failed']);
      expect(new Set((await world.events()).map(({ eventId }) => eventId)).size).toBe(10);
      expect(world.deadLetters()).toEqual([]);
    },
    MANY_SECONDS,
  );
});

test.each(['partition', 'store'] as const)(
  'an event too large for the head is sent under one id with the same bytes, wherever its owner is killed: %s',
  async (kind) => {
    for (let stopAt = 1; stopAt < 50; stopAt++) {
      const world = await WorkspaceWorld.open(kind, ['threads']);
      const post = world.creating({ text: '"'.repeat(20_000), scheduledAt: null });
      await world.handle([post]);
      const { promise: killed, resolve: kill } = Promise.withResolvers<'killed'>();
      let steps = 0;
      const owner = world.harness.actor(
        world.scenario.id,
        () => (++steps === stopAt ? (kill('killed'), new Promise(() => {})) : Promise.resolve()),
        NO_LIMITS,
      );
      const live = {
        type: 'PublishSucceeded',
        workspaceId: world.scenario.id,
        variantId: variantIdOf(post.postId, 1),
        attempt: 1,
        remoteId: 'r',
        permalink: null,
      } as const;
      const ended = await Promise.race([killed, owner.handle([live])]);
      world.restart();
      await world.handle([live]);
      await world.harness.rest();
      const events = await world.events();
      expect(events.length, `killed at step ${stopAt}`).toBeGreaterThan(0);
      expect(new Set(events.map(({ eventId, body }) => `${eventId} ${body}`)).size).toBe(1);
      expect(JSON.parse(events[0]!.body)).toMatchObject({
        data: { variant: { status: 'published' }, post: { text: post.text } },
      });
      if (ended !== 'killed') return;
    }
    throw new Error('the turn never ended');
  },
  MANY_SECONDS,
);

/** A Post of a film to so many Channels, each with a cover of its own at an address of so many characters. */
function postWithCovers(world: WorkspaceWorld, channels: number, characters: number): CreatePost {
  const answer = (contentType: 'image/jpeg' | 'video/mp4') =>
    ({ assetId: world.scenario.uuid(), contentType, bytes: 9_999_999, problem: null }) as const;
  const channelIds = Object.keys(world.scenario.workspace.channels).slice(0, channels);
  const coverAt = (id: string) => ({
    url: `https://files.test/${id}/${'長'.repeat(characters)}`,
    inspected: answer('image/jpeg'),
  });
  return world.creating({
    text: 'a film',
    channelIds,
    media: [{ url: 'https://files.test/a.mp4', inspected: answer('video/mp4') }],
    channelOptions: Object.fromEntries(channelIds.map((id) => [id, { cover: coverAt(id) }])),
    scheduledAt: tomorrow(world),
  });
}

test.each([
  ['partition', 20],
  ['sqlite', 100],
] as const)(
  'the longest addresses of covers that are taken fit the turn that attaches them: %s, %i Channels',
  async (kind, channels) => {
    const world = await WorkspaceWorld.open(
      kind,
      times(channels, () => 'facebook' as Network),
    );
    let [taken, refused] = [0, 20_000];
    while (taken + 1 < refused) {
      const middle = (taken + refused) >> 1;
      if (tooLarge(postWithCovers(world, channels, middle)) === null) taken = middle;
      else refused = middle;
    }
    const post = postWithCovers(world, channels, taken);
    expect(tooLarge(postWithCovers(world, channels, refused))).toContain('addresses');
    await world.handle([post]);
    expect(world.resultOf(post)).toMatchObject({ ok: true });
    await world.live(post, SAID, 2);
    expect(world.deadLetters()).toEqual([]);
  },
  MANY_SECONDS,
);

/** What a Post is made of, by how much of the content each part is. The rest are descriptions. */
interface Around {
  readonly channels: number;
  readonly files: number;
  readonly of: readonly string[];
  readonly shares: readonly [text: number, addresses: number, titles: number];
  readonly whole: number;
}

const CHARACTERS = ['a', '"', '\\', '\n', '\u0001', 'é', '長', '👋', '\u2028'];
const share = fc.constantFrom(0, 0.1, 0.3);
const around: fc.Arbitrary<Around> = fc.record({
  channels: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: 5, max: 100 }) },
  ),
  files: fc.integer({ min: 60, max: 100 }),
  of: fc.array(fc.constantFrom(...CHARACTERS), { minLength: 4, maxLength: 4 }),
  shares: fc.tuple(share, share, share),
  whole: fc.constantFrom(0.5, 0.95, 0.99, 1.01, 1.05),
});

/**
 * A Post whose content takes about `whole` of what is left beside its Variants and files, each field within its own
 * bound.
 */
function postAround(world: WorkspaceWorld, { channels, files, of, shares, whole }: Around): CreatePost {
  let left = whole * (MAX_CREATION_BYTES - 9_000 - 2_200 * channels - 1_400 * files);
  const fill = (unit: string, most: number, bytes: number, among = 1) => {
    const count = Math.max(
      0,
      Math.min(Math.floor(most / unit.length), Math.floor(bytes / among / (jsonBytes(unit) - 2))),
    );
    left -= among * jsonBytes(unit.repeat(count));
    return unit.repeat(count);
  };
  const [textBytes, addressBytes, titleBytes] = shares.map((part) => part * left) as [number, number, number];
  const text = fill(of[0]!, 99_990, textBytes) || 'a';
  const url = `https://files.test/${fill(of[1]!, 4_000, addressBytes, files)}`;
  const channelIds = Object.keys(world.scenario.workspace.channels).slice(0, channels);
  const title = fill(of[2]!, 1_000, titleBytes, channels);
  const altTexts = times(files, (index) => fill(of[3]!, 10_000, left / (files - index)));
  const titles = Object.fromEntries(channelIds.map((id) => [id, { youtube: { title } }]));
  return world.creating({
    text,
    channelIds,
    media: world.files(altTexts, url),
    channelOptions: titles,
    scheduledAt: tomorrow(world),
  });
}

test.each(STORES)(
  'around the bound a Post is refused as too large, or fits through all of its life: %s',
  async (kind) => {
    const channels = times(100, () => 'tiktok' as Network);
    let [taken, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(around, async (about) => {
        const world = await WorkspaceWorld.open(kind, channels);
        const post = postAround(world, about);
        await world.handle([post]);
        const result = world.resultOf(post);
        if (result?.ok === false) {
          refused += 1;
          expect([result.code, tooLarge(post)]).toEqual(['too_large', result.message]);
          return;
        }
        taken += 1;
        await world.live(post, SAID, 2);
        expect(world.deadLetters()).toEqual([]);
      }),
      { numRuns: 8, seed: 26, endOnFailure: true },
    );
    expect(Math.min(taken, refused)).toBeGreaterThan(1);
  },
  MANY_SECONDS,
);
