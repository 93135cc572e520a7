import { describe, expect, test } from 'vitest';
import { FairPool } from '#concurrency/fair-pool.ts';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { DeliverEvent } from '#messages/messages.ts';
import type { AttemptOutcome } from '#domain/webhook/delivery.ts';
import type { Endpoint } from '#domain/webhook/endpoint.ts';
import { PortError } from '#ports/errors.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import type { AttemptResult } from './attempts.ts';
import { Dispatcher, HOLD_MS } from './dispatcher.ts';

const SECOND = 1_000;
const DAY = 86_400_000;
const LIMITS = { atOnce: 512, atOnceOfHost: 128, waitingOfEndpoint: 64, waiting: 20_000, idleEndpoints: 100 };

/** How long an attempt at an endpoint takes, and what comes of it. */
interface Behaviour {
  readonly takesMs: number;
  readonly outcome: AttemptOutcome;
}

const FAST: Behaviour = { takesMs: 0, outcome: 'succeeded' };
const HANGS: Behaviour = { takesMs: 10_000, outcome: 'timed_out' };

function open(behaviours: Readonly<Record<string, Behaviour>>, isPressed = false) {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const timers: TimerEffect[] = [];
  const made: string[] = [];
  const givenUp: string[] = [];
  const endedUnsent: string[] = [];
  const trouble: { store: PortError | null; isEarly: boolean } = { store: null, isEarly: false };
  const endpointOf = (id: string) => ({ id, url: `https://${id}.test/`, stoppedAt: null }) as Endpoint;
  const dispatcher = new Dispatcher({
    attempts: {
      make: async (job): Promise<AttemptResult | 'early'> => {
        if (trouble.store !== null) throw trouble.store;
        if (trouble.isEarly) {
          trouble.isEarly = false;
          await clock.sleep(HOLD_MS / 2);
          return 'early';
        }
        const { takesMs, outcome } = behaviours[job.endpointId]!;
        made.push(`${job.deliveryId}/${job.attempt}`);
        if (takesMs > 0) await clock.sleep(takesMs);
        return {
          endpoint: endpointOf(job.endpointId),
          sent: { outcome, status: null, error: '', excerpt: '', retryAfterMs: null },
          startedAt: 0,
          ended: false,
        };
      },
      giveUp: async (job) => void givenUp.push(job.deliveryId),
      isOver: async ({ deliveryId, attempt }) => made.includes(`${deliveryId}/${attempt}`),
    },
    endpointsOf: async () => Object.fromEntries(Object.keys(behaviours).map((id) => [id, endpointOf(id)])),
    setTimer: async (timer) => void timers.push(timer),
    onResult: () => {},
    onGivenUp: ({ deliveryId }) => void endedUnsent.push(deliveryId),
    clock,
    reporter,
    limits: LIMITS,
    // One Workspace, which may have all of it.
    pool: new FairPool({ permits: LIMITS.atOnce, maxOf: { workspace: LIMITS.atOnce }, timesFree: Infinity, clock }),
    isPressed: () => isPressed,
  });
  const job = (endpointId: string, number: number, about: Partial<DeliverEvent> = {}): DeliverEvent => ({
    ...{
      type: 'DeliverEvent',
      workspaceId: 'w',
      endpointId,
      deliveryId: `${endpointId}${number}`,
      round: '',
      roundSince: clock.now(),
      attempt: 1,
      dueAt: clock.now(),
      putOff: 0,
    },
    ...about,
  });
  /** What came of each offer once a hold is over. */
  /** Offers take no longer than room and a hold are waited for. */
  const offer = async (...jobs: readonly DeliverEvent[]): Promise<readonly string[]> => {
    let settled: readonly string[] | null = null;
    void Promise.allSettled(jobs.map((each) => dispatcher.offer(each))).then(
      (ended) => (settled = ended.map(({ status }) => status)),
    );
    for (let turn = 0; settled === null; turn++) {
      if (turn > 100) throw new Error('an offer never ends');
      await clock.advance(HOLD_MS);
    }
    return settled;
  };
  return { clock, reporter, timers, made, givenUp, endedUnsent, trouble, dispatcher, job, offer };
}

const dueIn = (timer: TimerEffect | undefined, from: number): number => timer!.dueAt - from;
const putOffOf = (timer: TimerEffect | undefined): number => (timer!.message as DeliverEvent).putOff;

describe('a job', () => {
  test('that is done soon needs no timer', async () => {
    const { offer, job, timers, made } = open({ fast: FAST });
    expect(await offer(job('fast', 1))).toEqual(['fulfilled']);
    expect([made, timers]).toEqual([['fast1/1'], []]);
  });

  test('that its timer brings while an earlier copy waits until that timer is durable is made', async () => {
    const { offer, job, trouble, made } = open({ fast: FAST });
    const early = job('fast', 1);
    trouble.isEarly = true;
    expect(await offer(early, { ...early })).toEqual(['fulfilled', 'fulfilled']);
    expect(made).toEqual(['fast1/1']);
  });

  test('that is not done soon has one timer that brings it again, however often it comes, and another once that one fired', async () => {
    const { offer, job, timers, made, clock } = open({ slow: HANGS });
    const first = job('slow', 1);
    await offer(first, first);
    await offer(first);
    expect([timers.length, dueIn(timers[0], first.dueAt), putOffOf(timers[0])]).toEqual([1, 30 * SECOND + HOLD_MS, 1]);
    await offer({ ...first, putOff: 1 });
    expect([timers.length, dueIn(timers[1], clock.now()), putOffOf(timers[1])]).toEqual([2, 60 * SECOND, 2]);
    await clock.advance(20 * SECOND);
    expect(made).toEqual(['slow1/1']);
  });

  test('that was made meanwhile is dropped when its timer brings it: it takes no place in a queue and needs no further timer', async () => {
    const { offer, job, timers, made, clock } = open({ slow: HANGS }, true);
    await offer(...Array.from({ length: 10 }, (_, number) => job('slow', number)));
    await clock.advance(30 * SECOND);
    const begun = made.length;
    timers.length = 0;
    expect(await offer(job('slow', 0, { putOff: 1 }))).toEqual(['fulfilled']);
    expect([made.length, timers]).toEqual([begun, []]);
  });

  test('whose attempt the store refuses is rejected, and made when it is offered again', async () => {
    const { offer, job, timers, trouble } = open({ fast: FAST });
    trouble.store = new PortError('unavailable', 'away');
    expect(await offer(job('fast', 1))).toEqual(['rejected']);
    trouble.store = null;
    expect(await offer(job('fast', 1))).toEqual(['fulfilled']);
    expect(timers).toEqual([]);
  });

  test('that waited a day without a turn is given up, and not put off again', async () => {
    const { offer, job, timers, givenUp, endedUnsent, clock } = open({ slow: HANGS }, true);
    await offer(...Array.from({ length: 68 }, (_, number) => job('slow', number)));
    timers.length = 0;
    // As often as it is put off in a day.
    const [roundSince, putOff] = [clock.now() - DAY - 1, 152];
    await offer(job('slow', 100, { roundSince, putOff }), job('slow', 101));
    expect([givenUp, timers.map(({ key }) => key)]).toEqual([['slow100'], ['slow']]);
    // One that nobody could put off for a day, for want of a process, has not had its chances.
    await offer(job('slow', 102, { roundSince }), job('slow', 103, { roundSince, putOff: putOff - 1 }));
    expect([givenUp, timers.length]).toEqual([['slow100'], 3]);
    expect(endedUnsent).toEqual(givenUp);
  });
});

test('a backlog of 100,000 of an endpoint that hangs stays in timers: memory holds a few, and others have their turns at once', async () => {
  const { offer, job, timers, made, dispatcher, reporter } = open({ dead: HANGS, healthy: FAST }, true);
  const held: number[] = [];
  for (let batch = 0; batch < 1_000; batch++) {
    await offer(
      ...Array.from({ length: 100 }, (_, number) => job('dead', batch * 100 + number)),
      job('healthy', batch),
    );
    held.push(dispatcher.waiting + dispatcher.running);
  }
  expect(Math.max(...held)).toBeLessThanOrEqual(64 + 4);
  expect(made.filter((name) => name.startsWith('healthy'))).toHaveLength(1_000);
  expect(timers.every(({ key }) => key === 'dead')).toBe(true);
  // Every job has a timer but those few that an attempt came to its end of within the hold.
  expect(new Set(timers.map(({ message }) => (message as DeliverEvent).deliveryId)).size).toBeGreaterThan(99_900);
  expect(reporter.failures()).toEqual([]);
});

test.each([
  ['has not failed', HANGS, [2, 4, 8, 16, 32, 64, 600]],
  ['is in trouble', { takesMs: 10, outcome: 'refused' }, [30, 60, 120, 240, 480, 600, 600]],
] as const)(
  'waits for a job that finds no room, of an endpoint that %s, grow to ten minutes',
  async (_, behaviour, seconds) => {
    const { offer, job, timers, clock } = open({ slow: behaviour }, true);
    await offer(...Array.from({ length: 500 }, (_, number) => job('slow', number)));
    timers.length = 0;
    const from = clock.now();
    await offer(
      ...Array.from({ length: 68 }, (_, number) => job('slow', 500 + number)),
      ...[0, 1, 2, 3, 4, 5, 100].map((putOff) => job('slow', 600 + putOff, { putOff })),
    );
    expect(timers.slice(-7).map((timer) => Math.round(dueIn(timer, from) / SECOND))).toEqual(seconds);
  },
);

test('a burst of 2,000 to one endpoint that answers goes through without a timer: it waits for room, and not for half a minute', async () => {
  const { offer, job, timers, made, clock } = open({ brisk: { takesMs: 20, outcome: 'succeeded' } });
  const from = clock.now();
  for (let batch = 0; batch < 31; batch++)
    await offer(...Array.from({ length: 64 }, (_, number) => job('brisk', batch * 64 + number)));
  expect([made.length, timers]).toEqual([31 * 64, []]);
  expect(clock.now() - from).toBeLessThan(10 * SECOND);
});

test('a job that waited for room in vain is put off', async () => {
  const { offer, job, timers } = open({ slow: { takesMs: 9_000, outcome: 'succeeded' } });
  await offer(...Array.from({ length: 100 }, (_, number) => job('slow', number)));
  expect(new Set(timers.map(({ message }) => (message as DeliverEvent).deliveryId)).size).toBe(100);
});

test('draining ends what runs and begins nothing more', async () => {
  const { offer, job, made, dispatcher, clock } = open({ slow: HANGS });
  await offer(...Array.from({ length: 10 }, (_, number) => job('slow', number)));
  const drained = dispatcher.drain();
  await clock.advance(10 * SECOND);
  await drained;
  expect([made.length, dispatcher.running]).toEqual([4, 0]);
});

test('stopped, it ends at once', async () => {
  const { offer, job, dispatcher } = open({ slow: HANGS });
  await offer(job('slow', 1));
  dispatcher.stop();
  await dispatcher.drain();
  expect(dispatcher.isStopped).toBe(true);
});

test('a second stop, and a drain after it, change nothing', async () => {
  const { dispatcher } = open({ fast: FAST });
  await dispatcher.drain();
  dispatcher.stop();
  dispatcher.stop();
  await dispatcher.drain();
  expect([dispatcher.isStopped, dispatcher.running]).toEqual([true, 0]);
});
