import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { clockOf } from '../time/zone-clock.ts';
import { beginFirstWeek, takeCome, takeFirstWeek, whenFirstWeekCame } from './first-week.ts';
import { weekInput } from './week-input.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const WEEK = { vias: [], destinations: [], cards: [], isCut: false };
const OWN = {
  id: 'w',
  name: 'Tea House',
  timeZone: 'Europe/Berlin',
  role: 'owner',
  memberId: 'm',
  memberName: 'Ada',
} as const;

const inputOf = (first: string, zone = 'Europe/Berlin') => weekInput('w', first, clockOf(zone));

function answering(answer: () => Promise<Response>) {
  const asked: string[] = [];
  vi.stubGlobal('navigator', { language: 'en-GB' });
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(decodeURIComponent(address));
    return answer();
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return asked;
}

const well = (): Promise<Response> => Promise.resolve(Response.json({ result: { data: WEEK } }));

afterEach(async () => {
  // What one test begins is no other's.
  for (const first of ['2026-11-23', '2026-12-07']) await takeFirstWeek(inputOf(first));
});

test.each([
  ['', '2026-11-23', 'Europe/Berlin'],
  ['?date=2026-12-09&view=day', '2026-12-07', 'Europe/Berlin'],
  ['?date=2026-12-09&zone=America/New_York', '2026-12-07', 'America/New_York'],
  ['?view=list&zone=no/where', '2026-11-23', 'UTC'],
])('%s is asked for as the calendar asks, and handed over once', async (search, first, zone) => {
  const asked = answering(well);
  beginFirstWeek(OWN, NOW, search);
  const input = inputOf(first, zone);
  expect(asked).toEqual([expect.stringContaining(`/trpc/posts.calendar?input=${JSON.stringify(input)}`)]);
  expect(await takeFirstWeek({ ...input, workspaceId: 'another' }), 'of another Workspace').toBeNull();
  expect(takeCome(input), 'before it has come').toBeNull();
  await whenFirstWeekCame(10_000);
  expect(await takeFirstWeek(input)).toEqual(WEEK);
  expect(await takeFirstWeek(input), 'once').toBeNull();
});

test('what has come is there at once, and once', async () => {
  answering(well);
  beginFirstWeek(OWN, NOW, '');
  await whenFirstWeekCame(10_000);
  expect(takeCome(inputOf('2026-11-23'))).toEqual(WEEK);
  expect(takeCome(inputOf('2026-11-23'))).toBeNull();
});

test.each([
  ['refused', () => Promise.resolve(Response.json({}, { status: 503 }))],
  ['lost', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['no answer of ours', () => Promise.resolve(new Response('<html>'))],
])('an answer that is %s is none: the calendar asks by itself', async (_what, answer) => {
  answering(answer);
  beginFirstWeek(OWN, NOW, '');
  await whenFirstWeekCame(10_000);
  expect(takeCome(inputOf('2026-11-23'))).toBeNull();
  expect(await takeFirstWeek(inputOf('2026-11-23'))).toBeNull();
});

test('nobody waits for an answer that is long in coming, nor for a month, which is not asked for', async () => {
  const asked = answering(() => new Promise(() => {}));
  beginFirstWeek(OWN, NOW, '?view=month');
  await whenFirstWeekCame(10_000);
  expect(asked).toEqual([]);
  beginFirstWeek(OWN, NOW, '?date=2027-01-04');
  await whenFirstWeekCame(1);
});
