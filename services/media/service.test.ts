import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MEDIA_JOBS } from '#tables/declarations/topics.ts';
import type { Post } from '#domain/post/post.ts';
import type { Service } from '#runtime/service.ts';
import { createMediaService } from './service.ts';
import { MediaHarness } from './media-harness.fixture.ts';

let harness: MediaHarness;
let services: Service[];
beforeEach(() => {
  harness = new MediaHarness();
  services = [];
});
afterEach(() => Promise.all(services.map((service) => service.stop())));

async function started(): Promise<Service> {
  const service = createMediaService(harness.context());
  services.push(service);
  await service.start();
  return service;
}

async function ask({ id: postId }: Post): Promise<void> {
  const value = harness.codec.encode({ type: 'PrepareMedia', workspaceId: harness.scenario.id, postId, tries: 0 });
  await harness.log.append(MEDIA_JOBS.name, [{ key: postId, value: await value }]);
}

/** Files are written while time passes, which may take a while on a busy machine, whatever the clock says. */
async function letPass(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let passed = 0; passed < 10_000 && !(await done()); passed++) {
    await harness.clock.advance(10);
    if (passed > 200) await sleep(5);
  }
  expect(await done()).toBe(true);
}

/** Ends only when it is cut off, as what takes an hour would. */
function endless({ signal }: { readonly signal?: AbortSignal }): Promise<never> {
  signal!.throwIfAborted();
  return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
}

async function postsTold(): Promise<ReadonlySet<string>> {
  return new Set(
    (await harness.told()).flatMap((message) => (message.type === 'MediaPrepared' ? [message.postId] : [])),
  );
}

test.each(['drain', 'stop'] as const)(
  '%s cuts conversions off, at work or waiting for a core, tells nothing, and the next start begins them anew',
  async (end) => {
    harness.convert = endless;
    const channels = [harness.scenario.channel('threads')];
    const posts = [
      await harness.post(channels, 'upload'),
      await harness.post(channels, 'upload'),
      await harness.post(channels, 'upload'),
    ];
    const service = await started();
    for (const post of posts) await ask(post);
    // Two cores, so that the third waits.
    await letPass(() => harness.converted.length === 2);
    await service[end]();
    if (end === 'drain') expect(harness.leftovers()).toEqual([]);
    expect(await harness.told()).toEqual([]);
    harness.convert = null;
    await started();
    await letPass(async () => (await postsTold()).size === posts.length);
    expect(await postsTold()).toEqual(new Set(posts.map(({ id }) => id)));
  },
);

test('drain ends a fetch too, and waits for what is cut off', async () => {
  let isOver = false;
  harness.fetch = (order) =>
    endless(order).catch(async (reason: unknown) => {
      await new Promise(setImmediate);
      isOver = true;
      throw reason;
    });
  const post = await harness.post([harness.scenario.channel('threads')], 'address');
  const service = await started();
  await ask(post);
  await letPass(() => harness.fetched.length === 1);
  await service.drain();
  expect([isOver, harness.leftovers()]).toEqual([true, []]);
  expect(await harness.told()).toEqual([]);
});
