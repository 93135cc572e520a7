import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { Pools } from '#concurrency/pools.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { RequestTurns } from '#use-cases/request-turns.ts';
import { readJsonBody } from './json-body.ts';

const LARGE = JSON.stringify({ text: 'a'.repeat(200_000) });
const SMALL = JSON.stringify({ text: 'a' });

/** A loop of which each turn is counted, and requests whose bodies come when the test sends them. */
function open() {
  const clock = createMemoryClock();
  const state = { turns: 0 };
  const nextTurn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    state.turns += 1;
  };
  const turns = new RequestTurns({ pools: new Pools({ clock }), clock });
  const slices = new TimeSlices({ clock: { monotonic: () => 0, sleep: nextTurn } });
  const { signal } = new AbortController();
  const request = (workspaceId: string, body: string) => {
    const stream = new PassThrough({ highWaterMark: 1_000_000 });
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const incoming = Object.assign(stream, { headers, complete: true }) as unknown as IncomingMessage;
    const read = readJsonBody(incoming, { workspaceId, signal }, { turns, slices });
    return { read, send: () => void stream.end(body), isRead: () => stream.listenerCount('data') > 0 };
  };
  return { clock, state, request };
}

test('of the large bodies that one Workspace sends slowly at once, few are read, and that of another is', async () => {
  const { request } = open();
  const slow = Array.from({ length: 64 }, () => request('attacker', LARGE));
  const other = request('victim', LARGE);
  other.send();
  expect([(await other.read).ok, slow.filter(({ isRead }) => isRead()).length]).toEqual([true, 8]);
});

test('large bodies that have come are parsed one in each turn of the loop, and a small one beside them', async () => {
  const { request, state } = open();
  const parsedIn: number[] = [];
  const bodies = Array.from({ length: 8 }, () => request('attacker', LARGE));
  for (const { send } of bodies) send();
  const all = bodies.map(async ({ read }) => {
    await read;
    parsedIn.push(state.turns);
  });
  const small = request('victim', SMALL);
  small.send();
  await small.read;
  const smallIn = state.turns;
  await Promise.all(all);
  expect([new Set(parsedIn).size, smallIn < 3]).toEqual([8, true]);
});

test('a large body whose turn does not come is refused with when to send it again', async () => {
  const { clock, request } = open();
  for (let body = 0; body < 8; body++) request('one', LARGE);
  const refused = request('one', LARGE);
  await clock.advance(4_000);
  expect(await refused.read).toMatchObject({
    ok: false,
    problem: { code: 'unavailable', retryAfterSeconds: 2 },
  });
});
