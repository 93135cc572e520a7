import { afterEach, beforeEach, expect, test } from 'vitest';
import { MEDIA_JOBS } from '#tables/declarations/topics.ts';
import type { Post } from '#domain/post/post.ts';
import type { Service } from '#runtime/service.ts';
import { createMediaService } from './service.ts';
import { Shop } from './media-harness.fixture.ts';

let shop: Shop;
let services: Service[];
beforeEach(() => {
  shop = new Shop();
  services = [];
});
afterEach(() => Promise.all(services.map((service) => service.stop())));

async function started(): Promise<Service> {
  const service = createMediaService(shop.workshop());
  services.push(service);
  await service.start();
  return service;
}

async function ask({ id: postId }: Post): Promise<void> {
  const value = shop.codec.encode({ type: 'PrepareMedia', workspaceId: shop.scenario.id, postId, tries: 0 });
  await shop.log.append(MEDIA_JOBS.name, [{ key: postId, value: await value }]);
}

async function letPass(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let passed = 0; passed < 2_000 && !(await done()); passed++) await shop.clock.advance(10);
  expect(await done()).toBe(true);
}

/** Ends only when it is cut off, as what takes an hour would. */
function endless({ signal }: { readonly signal?: AbortSignal }): Promise<never> {
  signal!.throwIfAborted();
  return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
}

async function postsTold(): Promise<ReadonlySet<string>> {
  return new Set((await shop.told()).flatMap((message) => (message.type === 'MediaPrepared' ? [message.postId] : [])));
}

test.each(['drain', 'stop'] as const)('%s cuts conversions off, at work or waiting for a core, tells nothing, and the next start begins them anew', async (end) => {
  shop.convert = endless;
  const channels = [shop.scenario.channel('threads')];
  const posts = [await shop.post(channels, 'upload'), await shop.post(channels, 'upload'), await shop.post(channels, 'upload')];
  const service = await started();
  for (const post of posts) await ask(post);
  // Two cores, so that the third waits.
  await letPass(() => shop.converted.length === 2);
  await service[end]();
  if (end === 'drain') expect(shop.leftovers()).toEqual([]);
  expect(await shop.told()).toEqual([]);
  shop.convert = null;
  await started();
  await letPass(async () => (await postsTold()).size === posts.length);
  expect(await postsTold()).toEqual(new Set(posts.map(({ id }) => id)));
});

test('drain ends a fetch too, and waits for what is cut off', async () => {
  let isOver = false;
  shop.fetch = (order) =>
    endless(order).catch(async (reason: unknown) => {
      await new Promise(setImmediate);
      isOver = true;
      throw reason;
    });
  const post = await shop.post([shop.scenario.channel('threads')], 'address');
  const service = await started();
  await ask(post);
  await letPass(() => shop.fetched.length === 1);
  await service.drain();
  expect([isOver, shop.leftovers()]).toEqual([true, []]);
  expect(await shop.told()).toEqual([]);
});
