import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { HttpFailure, type HttpRequest } from '#ports/http-client.ts';
import { AttemptObserver } from './attempt-observer.ts';

const REQUEST: HttpRequest = { method: 'GET', url: 'https://network.test/', timeoutMs: 1_000 };
const JOB = {
  ...{ ledgerId: 'l', attempt: 1, channelId: 'c', accountId: 'a', dueAt: 0, latestStart: 0, reconcileFirst: false },
  why: 'due' as const,
  network: 'x' as const,
  ...{ workspaceId: 'w', variantId: '0190b7a0-0000-7000-8000-000000000101' },
};
const FACTS = {
  ...{ network: 'x', workspaceId: 'w', variantId: JOB.variantId, attempt: 1 },
  postId: '0190b7a0-0000-7000-8000-000000000100',
};

function open(answers: readonly (number | HttpFailure)[] = []) {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const left = [...answers];
  const http = {
    send: async () => {
      const answer = left.shift()!;
      if (typeof answer !== 'number') throw answer;
      return { status: answer, headers: {}, body: '' };
    },
  };
  return { clock, reporter, observer: new AttemptObserver({ network: 'x', http, clock, reporter }) };
}

test('each request to a Network is reported with its step and the class of its answer', async () => {
  const { observer, reporter } = open([200, 302, 429, 503, new HttpFailure('no answer', true)]);
  for (const kind of ['prepare', 'prepare', 'publish', 'publish'] as const)
    await observer.httpFor(kind, JOB).send(REQUEST);
  await expect(observer.httpFor('reconcile', JOB).send(REQUEST)).rejects.toThrow('no answer');
  expect(reporter.of('network-request-ended').map(({ facts }) => [facts['operation'], facts['statusClass']])).toEqual([
    ['prepare', '2xx'],
    ['prepare', '3xx'],
    ['publish', '4xx'],
    ['publish', '5xx'],
    ['reconcile', 'none'],
  ]);
});

test('an attempt begins with its first call, once, whatever calls follow', async () => {
  const { observer, reporter, clock } = open();
  const scheduledAt = clock.now();
  await clock.advance(4_000);
  observer.calling(JOB, { kind: 'prepare', scheduledAt, isUntouched: true, heldMs: 0 });
  await clock.advance(1_000);
  observer.calling(JOB, { kind: 'prepare', scheduledAt, isUntouched: true, heldMs: 0 });
  observer.calling(JOB, { kind: 'publish', scheduledAt, isUntouched: false, heldMs: 0 });
  expect(reporter.of('attempt-begun').map(({ facts }) => facts)).toEqual([{ ...FACTS, latenessMs: 4_000 }]);
  expect(observer.endedAfterMs(JOB)).toBe(1_000);
  expect(observer.endedAfterMs(JOB)).toBe(null);
});

test('the time for which publishing was held makes nothing late', async () => {
  const { observer, reporter, clock } = open();
  const scheduledAt = clock.now();
  await clock.advance(3_600_000);
  const moment = { kind: 'prepare', scheduledAt, isUntouched: true } as const;
  observer.calling(JOB, { ...moment, heldMs: 3_599_000 });
  // Periods are taken for longer by what clocks may differ.
  observer.calling({ ...JOB, ledgerId: 'of another' }, { ...moment, heldMs: 3_605_000 });
  expect(reporter.of('attempt-begun').map(({ facts }) => facts['latenessMs'])).toEqual([1_000, 0]);
});

test('neither a retry, nor what another process began, nor a question is a first call', async () => {
  const { observer, reporter, clock } = open();
  const scheduledAt = clock.now();
  observer.calling({ ...JOB, attempt: 2 }, { kind: 'prepare', scheduledAt, isUntouched: true, heldMs: 0 });
  observer.calling({ ...JOB, ledgerId: 'of another' }, { kind: 'publish', scheduledAt, isUntouched: false, heldMs: 0 });
  observer.calling({ ...JOB, ledgerId: 'asked' }, { kind: 'reconcile', scheduledAt, isUntouched: true, heldMs: 0 });
  expect(reporter.of('attempt-begun').map(({ facts }) => [facts['attempt'], facts['latenessMs']])).toEqual([[2, null]]);
  expect(observer.endedAfterMs({ ...JOB, ledgerId: 'asked' })).toBe(null);
});

test('what holds an attempt back is reported with how long it is to wait', () => {
  const { observer, reporter } = open();
  observer.heldBack(JOB, { forMs: 60_000, why: 'circuit', reason: 'platform_problem', detail: '' });
  expect(reporter.of('attempt-held-back').map(({ facts }) => facts)).toEqual([
    { ...FACTS, why: 'circuit', waitMs: 60_000 },
  ]);
});

test('attempts count as in flight until they end, also by an error', async () => {
  const { observer } = open();
  const { promise, reject } = Promise.withResolvers<void>();
  const watched = observer.watch(JOB, () => promise);
  expect(observer.running).toBe(1);
  reject(new Error('the store is away'));
  await expect(watched).rejects.toThrow('away');
  expect(observer.running).toBe(0);
});
