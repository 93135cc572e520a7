import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import { IngressWorld, START } from '#services/ingress/ingress-harness.fixture.ts';
import { DAY, HOUR, MINUTE } from '#testing/scenario.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { ApiCall } from './caller.ts';
import { createDoorParts } from './door-parts.ts';
import { movePost, replacePost } from './replace-post.ts';

const FACTS: FileFacts = {
  ...{ kind: 'image', contentType: 'image/jpeg', bytes: 1_000, sha256: 'a'.repeat(64), width: 4, height: 4 },
  durationMs: null,
};

/** A Post with a file by its address, and the calls of an editor about it. */
function opened() {
  const clock = createMemoryClock(START);
  const world = new IngressWorld(clock);
  const scenario = world.workspace();
  const channelId = scenario.channel('threads');
  const memberId = scenario.member('editor');
  const readers = world.readers();
  const secret = 'a secret of the installation';
  const doors = createDoorParts({ clock, ids: world.ids, requests: readers.requests, secret, addressesPerMinute: 0 });
  const options = {
    ...readers,
    ...doors,
    clock,
    ids: world.ids,
    replyTo: '',
    videosOff: async () => null,
    reporter: createMemoryReporter(),
  };
  const call = (): ApiCall => ({
    ...{ workspaceId: scenario.id, credential: { kind: 'member', memberId }, permissions: ['posts:schedule'] },
    ...{
      requestId: world.ids.uuid7(clock.now()),
      signal: new AbortController().signal,
      origin: { door: 'app', address: null },
    },
  });
  const inspected = { assetId: scenario.uuid(), contentType: 'image/jpeg', bytes: 1_000, problem: null } as const;
  const media = [{ url: 'https://files.test/a.jpg', inspected }];
  const postId = scenario.post({ text: 'Hello', channelIds: [channelId], scheduledAt: START + DAY, media });
  const fetched = () =>
    scenario.tell({
      ...{ type: 'FileFetched', workspaceId: scenario.id, postId, assetId: inspected.assetId },
      ...{ blob: 'a blob', facts: FACTS },
    });
  const post = (text: string): CreatePostInput => ({
    ...{ text, channelIds: [channelId], media: [], channelOptions: {}, scheduledAt: START + 2 * DAY },
  });
  return {
    ...{ clock, scenario, postId, fetched },
    move: (id: string, scheduledAt: number, idempotencyKey: string | null) =>
      movePost(call(), id, { scheduledAt, idempotencyKey }, options),
    replace: (id: string, text: string, idempotencyKey: string | null) =>
      replacePost(call(), id, { post: post(text), idempotencyKey }, options),
    waiting: () =>
      [...scenario.posts.values()].filter(({ variants }) => variants.some(({ status }) => status === 'scheduled')),
  };
}

/** The successor's id, and whether it had been made before. */
function successorOf(outcome: Awaited<ReturnType<typeof movePost>>): readonly [id: string, replayed: boolean] {
  if (!outcome.ok) return expect.fail(outcome.problem.message);
  return [outcome.value.post.id, outcome.value.replayed];
}

test('a move whose answer was lost is answered the same when it is sent again, hours later too, and moves once', async () => {
  const world = opened();
  const [successor, replayed] = successorOf(await world.move(world.postId, START + 2 * DAY, 'a drag'));
  expect(replayed).toBe(false);
  for (const waitMs of [0, 11 * MINUTE, 5 * HOUR]) {
    await world.clock.advance(waitMs);
    expect(successorOf(await world.move(world.postId, START + 2 * DAY, 'a drag'))).toEqual([successor, true]);
  }
  expect(world.waiting().map(({ id }) => id)).toEqual([successor]);
  // Without a key nobody knows that it is the same wish: the Post is not waiting any more.
  expect(await world.move(world.postId, START + 2 * DAY, null)).toMatchObject({
    problem: { code: 'not_cancellable' },
  });
});

test('it is the same move, although a file of the Post was fetched between the two', async () => {
  const world = opened();
  const first = successorOf(await world.move(world.postId, START + 2 * DAY, 'a drag'));
  world.fetched();
  await world.clock.advance(11 * MINUTE);
  expect(successorOf(await world.move(world.postId, START + 2 * DAY, 'a drag'))).toEqual([first[0], true]);
  expect(world.waiting()).toHaveLength(1);
});

test('a late copy of a move changes nothing of the Post that its successor was moved to since', async () => {
  const world = opened();
  const [second] = successorOf(await world.move(world.postId, START + 2 * DAY, 'one'));
  const [third] = successorOf(await world.move(second, START + 3 * DAY, 'two'));
  expect(successorOf(await world.move(world.postId, START + 2 * DAY, 'one'))).toEqual([second, true]);
  expect(world.waiting().map(({ id }) => id)).toEqual([third]);
});

test('a key that was sent with another move is refused: for another time, and for another Post', async () => {
  const world = opened();
  const [successor] = successorOf(await world.move(world.postId, START + 2 * DAY, 'k'));
  const reused = { problem: { code: 'idempotency_key_reused' } };
  expect(await world.move(world.postId, START + 3 * DAY, 'k')).toMatchObject(reused);
  expect(await world.move(successor, START + 2 * DAY, 'k')).toMatchObject(reused);
  expect(world.waiting().map(({ id }) => id)).toEqual([successor]);
});

test('a replacement that is sent again is one successor; with other words the key is refused', async () => {
  const world = opened();
  const [successor] = successorOf(await world.replace(world.postId, 'Better', 'k'));
  await world.clock.advance(11 * MINUTE);
  expect(successorOf(await world.replace(world.postId, 'Better', 'k'))).toEqual([successor, true]);
  const reused = { problem: { code: 'idempotency_key_reused' } };
  expect(await world.replace(world.postId, 'Best', 'k')).toMatchObject(reused);
  expect(world.waiting().map(({ text }) => text)).toEqual(['Better']);
});

test.each(['disconnected', 'connected again'])('a move leaves out a Channel that was %s since', async (state) => {
  const { scenario, move } = opened();
  const [staying, leaving] = [scenario.channel('threads'), scenario.channel('threads')];
  const channelOptions = { [staying]: { text: 'For those who stay' }, [leaving]: { text: 'For the others' } };
  const content = { text: 'Two', channelIds: [staying, leaving], channelOptions };
  const postId = scenario.post({ ...content, scheduledAt: START + DAY });
  scenario.must({ type: 'DisconnectChannel', channelId: leaving, memberId: null });
  scenario.settle();
  const { network, name, accountId } = scenario.workspace.channels[leaving]!;
  const again = { channelId: leaving, network, name, accountId, avatarUrl: null, kind: '' };
  if (state === 'connected again') scenario.must({ type: 'ConnectChannel', ...again });
  const [successor] = successorOf(await move(postId, START + 2 * DAY, null));
  const moved = scenario.postOf(successor);
  expect(moved.channelOptions).toEqual({ [staying]: { text: 'For those who stay' } });
  expect(moved.variants.map(({ channelId, status }) => [channelId, status])).toEqual([[staying, 'scheduled']]);
});
