import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Post } from '#domain/post/post.ts';
import type { Service } from '#runtime/service.ts';
import { MEDIA_JOBS } from '#tables/declarations/topics.ts';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';
import { until } from '#testing/until.ts';
import { createMediaService } from './service.ts';
import { MediaHarness, SIZE } from './media-harness.fixture.ts';

let harness: MediaHarness;
let service: Service;
let attacker: Scenario;
let neighbour: Scenario;
/** What was cut off, and why. */
const cutOff: string[] = [];
beforeEach(async () => {
  harness = new MediaHarness();
  attacker = harness.scenario;
  neighbour = aWorkspace({ idsFrom: 1_000_000 });
  cutOff.length = 0;
  service = createMediaService(harness.context());
  await service.start();
});
afterEach(() => service.stop());

/** As what takes an hour would: ends only when it is cut off. */
function endless({ signal }: { readonly signal?: AbortSignal }): Promise<never> {
  return new Promise((_, reject) =>
    signal!.addEventListener('abort', () => (cutOff.push(String(signal!.reason)), reject(signal!.reason as Error))),
  );
}

async function postOf(scenario: Scenario, media: 'upload' | 'address'): Promise<Post> {
  harness.scenario = scenario;
  const post = await harness.post([Object.keys(scenario.workspace.channels)[0] ?? scenario.channel('threads')], media);
  const value = harness.codec.encode({ type: 'PrepareMedia', workspaceId: scenario.id, postId: post.id, tries: 0 });
  await harness.log.append(MEDIA_JOBS.name, [{ key: post.id, value }]);
  return post;
}

async function cancel(scenario: Scenario, posts: readonly Post[]): Promise<void> {
  harness.scenario = scenario;
  for (const { id } of posts) {
    scenario.must({ type: 'CancelPost', postId: id });
    await harness.write(id);
  }
}

/**
 * Files are real and take their time: the clock goes on as long as it takes. Resolves with the milliseconds it went on.
 */
async function passing(done: () => boolean | Promise<boolean>, what: string): Promise<number> {
  const from = harness.clock.monotonic();
  await until(
    async () => {
      for (let step = 0; step < 10 && !(await done()); step++) await harness.clock.advance(10);
      return done();
    },
    { what, everyMs: 5 },
  );
  return harness.clock.monotonic() - from;
}

const isTold = async ({ id }: Post): Promise<boolean> =>
  (await harness.told()).some((message) => message.type === 'MediaPrepared' && message.postId === id);

async function posts(scenario: Scenario, media: 'upload' | 'address', count: number): Promise<readonly Post[]> {
  const made: Post[] = [];
  for (let post = 0; post < count; post++) made.push(await postOf(scenario, media));
  return made;
}

describe('a tenant with many jobs that take long', () => {
  test.each([16, 64, 400])('%i slow addresses of one Workspace hold up no uploaded file of another', async (count) => {
    harness.fetch = endless;
    await posts(attacker, 'address', count);
    await passing(() => harness.fetched.length === Math.min(count, 24), 'as many as there may be are asked');
    const picture = await postOf(neighbour, 'upload');
    await passing(() => isTold(picture), 'the picture is ready');
  });

  test('nor another that names an address, whose server is quick', async () => {
    harness.fetch = endless;
    await posts(attacker, 'address', 100);
    await passing(() => harness.fetched.length === 24, 'begun');
    harness.fetch = null;
    const picture = await postOf(neighbour, 'address');
    await passing(() => isTold(picture), 'the picture is ready');
  });

  test('a picture waits neither for the videos nor for all pictures of another Workspace', async () => {
    harness.facts = VIDEO;
    let converting = 0;
    harness.convert = async (request) => {
      const isVideo = request.source.facts.kind === 'video';
      if (isVideo) return endless(request);
      converting++;
      await harness.clock.sleep(500);
      return { ...request.source.facts, kind: 'converted', reused: true };
    };
    await posts(attacker, 'upload', 100);
    await passing(() => harness.converted.length > 0, 'begun');
    harness.facts = SIZE;
    await posts(attacker, 'upload', 100);
    await passing(() => converting > 0, 'begun');
    const picture = await postOf(neighbour, 'upload');
    await passing(() => isTold(picture), 'the picture is ready');
    expect(converting).toBeLessThan(20);
  });
});

const VIDEO = { ...SIZE, kind: 'video', contentType: 'video/mp4', durationMs: 60_000 } as const;

test('a video of another Workspace waits for none of those of a Workspace that has many', async () => {
  harness.convert = endless;
  harness.facts = VIDEO;
  await posts(attacker, 'upload', 100);
  await passing(() => harness.converted.length === 1, 'the first is begun');
  harness.convert = null;
  const video = await postOf(neighbour, 'upload');
  await passing(() => isTold(video), 'the other Workspace has its video');
});

test('pictures and videos together are no more at once than is set and two more, and videos two, of two Workspaces', async () => {
  const running = { image: 0, video: [] as string[] };
  const seen: string[] = [];
  harness.convert = async ({ workspaceId, source: { facts } }) => {
    if (facts.kind === 'image') running.image += 1;
    else running.video.push(workspaceId);
    seen.push(`${running.image} ${running.video.length} of ${new Set(running.video).size}`);
    await harness.clock.sleep(200);
    if (facts.kind === 'image') running.image -= 1;
    else running.video.splice(running.video.indexOf(workspaceId), 1);
    return { ...facts, kind: 'converted', reused: true };
  };
  const made: Post[] = [];
  for (const facts of [VIDEO, SIZE, VIDEO, SIZE, SIZE, VIDEO]) {
    harness.facts = facts;
    made.push(await postOf(attacker, 'upload'), await postOf(neighbour, 'upload'));
  }
  await passing(async () => (await Promise.all(made.map(isTold))).every(Boolean), 'all are ready');
  const allowed = [0, 1, 2, 3].flatMap((images) =>
    ['0 of 0', '1 of 1', '2 of 2'].map((videos) => `${images} ${videos}`),
  );
  expect(seen.filter((one) => one === '3 2 of 2' || !allowed.includes(one))).toEqual([]);
  expect(seen).toContain('1 2 of 2');
});

test('of 32 fetched files four at most are looked into at once, and those of one Workspace leave a place', async () => {
  const looked = { now: 0, most: 0 };
  harness.probing = async () => {
    looked.now += 1;
    looked.most = Math.max(looked.most, looked.now);
    await harness.clock.sleep(200);
    looked.now -= 1;
  };
  const many = await posts(attacker, 'address', 24);
  await passing(() => harness.fetched.length === 24 && looked.now > 0, 'all are fetched');
  expect(looked.most).toBe(3);
  const others = await posts(neighbour, 'address', 8);
  await passing(async () => (await Promise.all([...many, ...others].map(isTold))).every(Boolean), 'all are ready');
  expect([harness.fetched.length, looked.most]).toEqual([32, 4]);
});

describe('work that no Variant waits for any more', () => {
  test('100 conversions of cancelled Posts stop within two seconds, those under way and those that wait', async () => {
    harness.convert = endless;
    const made = await posts(attacker, 'upload', 100);
    await passing(() => harness.converted.length === 2, 'begun');
    await cancel(attacker, made);
    expect(await passing(() => cutOff.length === 2, 'cut off')).toBeLessThan(2_500);
    await passing(() => harness.reporter.of('media-preparation-abandoned').length === 100, 'all ended');
    await until(() => harness.leftovers().length === 0, { what: 'nothing under way' });
    expect([harness.converted.length, await harness.told()]).toEqual([2, []]);
    harness.convert = null;
    const picture = await postOf(neighbour, 'upload');
    await passing(() => isTold(picture), 'the picture is ready');
  });

  test('nor are addresses fetched to their end, or asked, for a Post that is cancelled', async () => {
    harness.fetch = endless;
    const made = await posts(attacker, 'address', 64);
    await passing(() => harness.fetched.length === 24, 'begun');
    await cancel(attacker, made);
    await passing(() => harness.reporter.of('media-preparation-abandoned').length === 64, 'all ended');
    expect([cutOff.length, harness.fetched.length]).toEqual([24, 24]);
    expect(await harness.timers()).toEqual([]);
  });

  test('a Post of which one Variant still waits goes on', async () => {
    harness.scenario = attacker;
    const channels = [attacker.channel('threads'), attacker.channel('x')];
    let end = (): void => {};
    harness.convert = async ({ source: { facts } }) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return { ...facts, kind: 'converted', reused: true };
    };
    const post = await harness.post(channels, 'upload');
    await harness.log.append(MEDIA_JOBS.name, [
      {
        key: post.id,
        value: harness.codec.encode({ type: 'PrepareMedia', workspaceId: attacker.id, postId: post.id, tries: 0 }),
      },
    ]);
    await passing(() => harness.converted.length === 2, 'begun');
    attacker.tell({
      type: 'MediaFailed',
      workspaceId: attacker.id,
      postId: post.id,
      attempt: 1,
      variants: [1],
      detail: 'it can not be',
    });
    await harness.write(post.id);
    await harness.clock.advance(5_000);
    expect(harness.reporter.of('media-preparation-abandoned')).toEqual([]);
    end();
  });

  test('a store that can not be asked stops nothing', async () => {
    harness.convert = endless;
    await postOf(attacker, 'upload');
    await passing(() => harness.converted.length === 1, 'begun');
    harness.isAway = true;
    await harness.clock.advance(10_000);
    expect(cutOff).toEqual([]);
  });
});
