import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { cardAt } from '../pages/calendar/cards/calendar-card.fixture.ts';
import type { CardsOfRange } from '../pages/calendar/cards/calendar-card.ts';
import { queryClient, serverKey } from '../server/queries.ts';
import { followWorkspace } from './follow-workspace.ts';
import type { LiveChangeListener } from './live-changes.ts';

const CARD = cardAt('post_1', '2026-11-24T09:00:00.000Z');
const weekOf = (workspaceId: string) =>
  serverKey((from) => from.posts.calendar, {
    workspaceId,
    from: '2026-11-23T00:00:00.000Z',
    to: '2026-11-30T00:00:00.000Z',
  });

beforeEach(() => {
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  onTestFinished(() => {
    vi.unstubAllGlobals();
    queryClient.clear();
  });
});

/** A server that answers each procedure so, and the addresses at which it was asked. */
function serverWith(answers: Readonly<Record<string, unknown>>): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(decodeURIComponent(address));
    const procedure = Object.keys(answers).find((name) => address.includes(name));
    return Response.json([{ result: { data: answers[procedure ?? ''] } }]);
  });
  return asked;
}

/** Follows a Workspace whose connection is there when the test says so. */
function following(workspaceId: string, pageTime: string | null) {
  let heard: LiveChangeListener | undefined;
  const leave = followWorkspace(workspaceId, pageTime, (_, listener) => {
    heard = listener;
    return { unsubscribe: () => {} };
  });
  return { leave, connect: () => heard!.onStarted() };
}

test.each([
  ['the first page of a tab', '2026-11-23T09:00:00.000Z'],
  ['a Workspace that is opened in the same tab', null],
])('what changed before %s is connected is read', async (_what, pageTime) => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-23T09:00:00.000Z'));
  onTestFinished(() => void vi.restoreAllMocks());
  const moved = { ...CARD, at: '2026-11-25T09:00:00.000Z' };
  const missed = { kind: 'changed', postIds: [CARD.id], channels: false, all: false };
  const asked = serverWith({ missed, 'posts.cards': [moved] });
  queryClient.setQueryData<CardsOfRange>(weekOf('w'), { cards: [CARD], isCut: false });
  const { connect, leave } = following('w', pageTime);
  onTestFinished(leave);
  connect();
  await expect.poll(() => queryClient.getQueryData<CardsOfRange>(weekOf('w'))?.cards).toEqual([moved]);
  expect(asked[0]).toContain('"since":"2026-11-23T09:00:00.000Z"');
});

test('what was read of a Workspace is out of date once another one is shown, also what comes after that', async () => {
  const asked = serverWith({});
  const { promise: old, resolve: answer } = Promise.withResolvers<CardsOfRange>();
  const page: CardsOfRange = { cards: [CARD], isCut: false };
  const ahead = serverKey((from) => from.posts.calendar, { workspaceId: 'w', from: 'later', to: 'later' });
  for (const workspaceId of ['w', 'other']) queryClient.setQueryData(weekOf(workspaceId), page);
  const read = queryClient.prefetchQuery({ queryKey: ahead, queryFn: () => old });
  following('w', null).leave();
  answer(page);
  await read;
  const areOutdated = () =>
    [weekOf('w'), ahead, weekOf('other')].map((key) => queryClient.getQueryState(key)?.isInvalidated);
  await expect.poll(areOutdated).toEqual([true, true, false]);
  expect(asked).toEqual([]);
});
