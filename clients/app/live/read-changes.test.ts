import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cardAt } from '../pages/calendar/cards/calendar-card.fixture.ts';
import type { AppServer } from '../server/router-type.ts';
import { queryClient, serverKey } from '../server/queries.ts';
import { readChanges } from './read-changes.ts';

test('where Channels changed, the Channels are read again, and which of them a Plan has room for', async () => {
  onTestFinished(() => queryClient.clear());
  const keys = [serverKey((from) => from.channels.list, {}), serverKey((from) => from.plan.get, {})];
  for (const key of keys) queryClient.setQueryData(key, {});
  const areOutdated = () => keys.map((key) => queryClient.getQueryState(key)?.isInvalidated);
  await readChanges('w', { postIds: [], channels: false, all: false });
  expect(areOutdated()).toEqual([false, false]);
  await readChanges('w', { postIds: [], channels: true, all: false });
  expect(areOutdated()).toEqual([true, true]);
});

const WEEK = { workspaceId: 'w', from: '2026-11-23T00:00:00.000Z', to: '2026-11-30T00:00:00.000Z' };
const POST = { workspaceId: 'w', postId: 'post_1' };
const NAMED = { postIds: ['post_1'], channels: false, all: false };
const ALL = { postIds: [], channels: false, all: true };
const CHANNELS = { postIds: [], channels: true, all: false };

/** What changes while it is read for the first time: its answer is the one from before the change. */
const READS = [
  ['a week, a Post of which changes', (from: AppServer) => from.posts.calendar, WEEK, NAMED],
  ['a week, many Posts of which change', (from: AppServer) => from.posts.calendar, WEEK, ALL],
  ['failures, when one Post changes', (from: AppServer) => from.posts.failures, WEEK, NAMED],
  ['the Post that changes', (from: AppServer) => from.posts.get, POST, NAMED],
  ['Channels, when one changes', (from: AppServer) => from.channels.list, { workspaceId: 'w' }, CHANNELS],
] as const;

/** A server that says what the Post is now, for two calls at most, which go in one request. */
function tellCards(): void {
  const cards = { result: { data: [cardAt('post_1', WEEK.from)] } };
  vi.stubGlobal('fetch', async () => Response.json([cards, cards]));
  onTestFinished(() => {
    vi.unstubAllGlobals();
    queryClient.clear();
  });
}

/** A read whose first answer the test holds back; later ones come at once. */
function heldRead(queryKey: readonly unknown[]) {
  tellCards();
  const { promise: old, resolve: answer } = Promise.withResolvers<unknown>();
  const queryFn = vi.fn(async (): Promise<unknown> => 'as it is now').mockReturnValueOnce(old);
  const isOutdated = () => queryClient.getQueryState(queryKey)?.isInvalidated;
  return { queryFn, isOutdated, options: { queryKey, queryFn, staleTime: 60_000 }, answer: () => answer('as it was') };
}

test.each(READS)('what is shown once it is read is read once more after a change meanwhile: %s', async (...read) => {
  const [, procedure, input, batch] = read;
  const { queryFn, options, answer, isOutdated } = heldRead(serverKey(procedure, input));
  const shown = new QueryObserver(queryClient, options);
  onTestFinished(shown.subscribe(() => {}));
  const changes = [readChanges('w', batch), readChanges('w', batch)];
  await expect.poll(isOutdated).toBe(true);
  answer();
  await Promise.all(changes);
  await expect.poll(() => shown.getCurrentResult().data).toBe('as it is now');
  expect(queryFn).toHaveBeenCalledTimes(2);
});

test.each(READS)('what is read ahead is out of date after a change meanwhile: %s', async (...read) => {
  const [, procedure, input, batch] = read;
  const { options, answer, isOutdated } = heldRead(serverKey(procedure, input));
  const ahead = queryClient.prefetchQuery(options);
  await readChanges('w', batch);
  answer();
  await ahead;
  await expect.poll(isOutdated).toBe(true);
});

test.each([
  ['a week', (from: AppServer) => from.posts.calendar, { cards: [], isCut: false }],
  ['failures', (from: AppServer) => from.posts.failures, []],
] as const)(
  'what is out of date stays so when one change of several is put into it: %s',
  async (_what, procedure, read) => {
    tellCards();
    const key = serverKey(procedure, WEEK);
    queryClient.setQueryData(key, read);
    await queryClient.invalidateQueries({ queryKey: key });
    await readChanges('w', NAMED);
    expect(queryClient.getQueryState(key)).toMatchObject({ dataUpdateCount: 2, isInvalidated: true });
  },
);
