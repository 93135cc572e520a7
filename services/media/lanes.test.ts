import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Post } from '#domain/post/post.ts';
import type { Service } from '#runtime/service.ts';
import { MEDIA_JOBS } from '#tables/declarations/topics.ts';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';
import { until } from '#testing/until.ts';
import { createMediaService } from './service.ts';
import { Shop, SIZE } from './media-harness.fixture.ts';

let shop: Shop;
let service: Service;
let attacker: Scenario;
let neighbour: Scenario;
/** What was cut off, and why. */
const cutOff: string[] = [];
beforeEach(async () => {
  shop = new Shop();
  attacker = shop.scenario;
  neighbour = aWorkspace({ idsFrom: 1_000_000 });
  cutOff.length = 0;
  service = createMediaService(shop.workshop());
  await service.start();
});
afterEach(() => service.stop());

/** As what takes an hour would: ends only when it is cut off. */
function endless({ signal }: { readonly signal?: AbortSignal }): Promise<never> {
  return new Promise((_, reject) => signal!.addEventListener('abort', () => (cutOff.push(String(signal!.reason)), reject(signal!.reason as Error))));
}

async function postOf(scenario: Scenario, media: 'upload' | 'address'): Promise<Post> {
  shop.scenario = scenario;
  const post = await shop.post([Object.keys(scenario.workspace.channels)[0] ?? scenario.channel('threads')], media);
  const value = shop.codec.encode({ type: 'PrepareMedia', workspaceId: scenario.id, postId: post.id, tries: 0 });
  await shop.log.append(MEDIA_JOBS.name, [{ key: post.id, value }]);
  return post;
}

async function cancel(scenario: Scenario, posts: readonly Post[]): Promise<void> {
  shop.scenario = scenario;
  for (const { id } of posts) {
    scenario.must({ type: 'CancelPost', postId: id });
    await shop.write(id);
  }
}

/** Files are real and take their time: the clock goes on as long as it takes. Resolves with the milliseconds it went on. */
async function passing(done: () => boolean | Promise<boolean>, what: string): Promise<number> {
  const from = shop.clock.monotonic();
  await until(async () => {
    for (let step = 0; step < 10 && !(await done()); step++) await shop.clock.advance(10);
    return done();
  }, { what, everyMs: 5 });
  return shop.clock.monotonic() - from;
}

const isTold = async ({ id }: Post): Promise<boolean> => (await shop.told()).some((message) => message.type === 'MediaPrepared' && message.postId === id);

async function posts(scenario: Scenario, media: 'upload' | 'address', count: number): Promise<readonly Post[]> {
  const made: Post[] = [];
  for (let post = 0; post < count; post++) made.push(await postOf(scenario, media));
  return made;
}

describe('a tenant with many jobs that take long', () => {
  test.each([16, 64, 400])('%i slow addresses of one Workspace hold up no uploaded file of another', async (count) => {
    shop.fetch = endless;
    await posts(attacker, 'address', count);
    await passing(() => shop.fetched.length === Math.min(count, 24), 'as many as there may be are asked');
    const picture = await postOf(neighbour, 'upload');
    await passing(() => isTold(picture), 'the picture is ready');
  });

  test('nor another that names an address, whose server is quick', async () => {
    shop.fetch = endless;
    await posts(attacker, 'address', 100);
    await passing(() => shop.fetched.length === 24, 'begun');
    shop.fetch = null;
    const picture = await postOf(neighbour, 'address');
    await passing(() => isTold(picture), 'the picture is ready');
  });

  test('a picture waits neither for the videos nor for all pictures of another Workspace', async () => {
    shop.facts = { ...SIZE, kind: 'video', contentType: 'video/mp4', durationMs: 60_000 };
    let converting = 0;
    shop.convert = async (request) => {
      const isVideo = request.source.facts.kind === 'video';
      if (isVideo) return endless(request);
      converting++;
      await shop.clock.sleep(500);
      return { ...request.source.facts, kind: 'converted', reused: true };
    };
    await posts(attacker, 'upload', 100);
    await passing(() => shop.converted.length > 0, 'begun');
    shop.facts = SIZE;
    await posts(attacker, 'upload', 100);
    await passing(() => converting > 0, 'begun');
    const picture = await postOf(neighbour, 'upload');
    await passing(() => isTold(picture), 'the picture is ready');
    expect(converting).toBeLessThan(20);
  });
});

describe('what nobody waits for any more', () => {
  test('100 conversions of cancelled Posts stop within two seconds, those under way and those that wait', async () => {
    shop.convert = endless;
    const made = await posts(attacker, 'upload', 100);
    await passing(() => shop.converted.length === 2, 'begun');
    await cancel(attacker, made);
    expect(await passing(() => cutOff.length === 2, 'cut off')).toBeLessThan(2_500);
    await passing(() => shop.reporter.of('preparing-ended').length === 100, 'all ended');
    await until(() => shop.leftovers().length === 0, { what: 'nothing under way' });
    expect([shop.converted.length, await shop.told()]).toEqual([2, []]);
    shop.convert = null;
    const picture = await postOf(neighbour, 'upload');
    await passing(() => isTold(picture), 'the picture is ready');
  });

  test('nor are addresses fetched to their end, or asked, for a Post that is cancelled', async () => {
    shop.fetch = endless;
    const made = await posts(attacker, 'address', 64);
    await passing(() => shop.fetched.length === 24, 'begun');
    await cancel(attacker, made);
    await passing(() => shop.reporter.of('preparing-ended').length === 64, 'all ended');
    expect([cutOff.length, shop.fetched.length]).toEqual([24, 24]);
    expect(await shop.timers()).toEqual([]);
  });

  test('a Post of which one Variant still waits goes on', async () => {
    shop.scenario = attacker;
    const channels = [attacker.channel('threads'), attacker.channel('x')];
    let end = (): void => {};
    shop.convert = async ({ source: { facts } }) => {
      await new Promise<void>((resolve) => { end = resolve; });
      return { ...facts, kind: 'converted', reused: true };
    };
    const post = await shop.post(channels, 'upload');
    await shop.log.append(MEDIA_JOBS.name, [{ key: post.id, value: shop.codec.encode({ type: 'PrepareMedia', workspaceId: attacker.id, postId: post.id, tries: 0 }) }]);
    await passing(() => shop.converted.length === 2, 'begun');
    attacker.tell({ type: 'MediaFailed', workspaceId: attacker.id, postId: post.id, attempt: 1, variants: [1], detail: 'it can not be' });
    await shop.write(post.id);
    await shop.clock.advance(5_000);
    expect(shop.reporter.of('preparing-ended')).toEqual([]);
    end();
  });

  test('a store that can not be asked stops nothing', async () => {
    shop.convert = endless;
    await postOf(attacker, 'upload');
    await passing(() => shop.converted.length === 1, 'begun');
    shop.isAway = true;
    await shop.clock.advance(10_000);
    expect(cutOff).toEqual([]);
  });
});
