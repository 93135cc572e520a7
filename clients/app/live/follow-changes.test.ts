import { getEventListeners } from 'node:events';
import { TRPCClientError } from '@trpc/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followChanges, type FollowOptions } from './follow-changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const UNAUTHORIZED = TRPCClientError.from({
  error: { message: 'no', code: -32_001, data: { httpStatus: 401, problem: { code: 'unauthorized', message: 'No.' } } },
});

/** Follows by connections that the test ends. */
function following() {
  const ending = new AbortController();
  const connections: Parameters<FollowOptions['connect']>[0][] = [];
  const [onStarted, onSignedOut, unsubscribe] = [vi.fn(), vi.fn(), vi.fn()];
  const over = followChanges({
    connect: (heard) => {
      connections.push(heard);
      return { unsubscribe };
    },
    onData: () => {},
    onStarted,
    onSignedOut,
    ended: ending.signal,
  });
  return { over, ending, connections, onStarted, onSignedOut, unsubscribe };
}

test('a tab whose connection was refused for a lack of a session connects again within 30 s of a new sign-in', async () => {
  const { over, ending, connections, onStarted, onSignedOut } = following();
  connections[0]!.onError(UNAUTHORIZED);
  expect(onSignedOut.mock.calls).toEqual([[UNAUTHORIZED]]);
  await vi.advanceTimersByTimeAsync(14_000);
  expect(connections, 'no storm of requests while nobody is signed in').toHaveLength(1);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(connections).toHaveLength(2);
  connections[1]!.onConnectionStateChange({ state: 'pending' });
  expect(onStarted).toHaveBeenCalledOnce();
  ending.abort();
  await over;
});

test('connections that have ended leave nothing behind, however many there were', async () => {
  const { over, ending, connections, unsubscribe } = following();
  for (let count = 0; count < 20; count++) {
    connections.at(-1)!.onComplete();
    await vi.advanceTimersByTimeAsync(30_000);
  }
  expect(connections).toHaveLength(21);
  expect(getEventListeners(ending.signal, 'abort')).toHaveLength(1);
  ending.abort();
  await over;
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(getEventListeners(ending.signal, 'abort')).toHaveLength(0);
});

test('what has ended while it waited for its next connection is over at once', async () => {
  const { over, ending, connections } = following();
  connections[0]!.onError(UNAUTHORIZED);
  await vi.advanceTimersByTimeAsync(0);
  ending.abort();
  await over;
  expect(connections).toHaveLength(1);
});
