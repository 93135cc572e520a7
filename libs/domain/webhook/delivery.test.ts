import { describe, expect, it } from 'vitest';
import {
  deliveryIdOf,
  FIRST_ROUND,
  isRetained,
  DELIVERY_RETENTION_MS,
  deliveryStatusOf,
  type AttemptOutcome,
  type DeliveryAttempt,
} from './delivery.ts';

const SINCE = 1_000_000;
const round = { id: FIRST_ROUND, since: SINCE };
const EVENT = '01930000-0000-8000-8000-000000000001';
const ENDPOINT = '01930000-0000-7000-8000-000000000002';

function made(attempt: number, outcome: AttemptOutcome, about: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  const startedAt = SINCE + attempt * 1_000;
  return {
    round: FIRST_ROUND,
    attempt,
    startedAt,
    finishedAt: startedAt + 10,
    outcome,
    status: null,
    error: '',
    excerpt: '',
    retryAfterMs: null,
    ...about,
  };
}

it('its id is a UUID, the same however often it is made, and another for each event and endpoint', () => {
  const id = deliveryIdOf(EVENT, ENDPOINT);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(
    new Set([id, deliveryIdOf(EVENT, ENDPOINT), deliveryIdOf(ENDPOINT, EVENT), deliveryIdOf(EVENT, EVENT)]).size,
  ).toBe(3);
});

describe('every outcome of a first attempt', () => {
  const again = { state: 'pending', attempt: 2, at: SINCE + 1_000 + 30_000 };
  it.each<[AttemptOutcome, object]>([
    ['succeeded', { state: 'succeeded', endedAt: SINCE + 1_010 }],
    ['refused', again],
    ['redirected', again],
    ['timed_out', again],
    ['unreachable', again],
    ['unsafe', again],
    ['stopped', { state: 'failed', endedAt: SINCE + 1_010 }],
    ['never_tried', { state: 'failed', endedAt: SINCE + 1_010 }],
  ])('%s', (outcome, expected) => {
    expect(deliveryStatusOf(round, [made(1, outcome)])).toEqual(expected);
  });
});

describe('a round', () => {
  it('without attempts waits for its first, since it began', () => {
    expect(deliveryStatusOf(round, [])).toEqual({ state: 'pending', attempt: 1, at: SINCE });
  });

  it('counts a success of any worker, however late it is reported', () => {
    const attempts = [
      made(1, 'refused'),
      made(2, 'refused'),
      made(1, 'succeeded', { startedAt: SINCE + 50, finishedAt: SINCE + 60 }),
    ];
    expect(deliveryStatusOf(round, attempts)).toEqual({ state: 'succeeded', endedAt: SINCE + 60 });
  });

  it('of two owners, who made one attempt each, goes on once: after the one that began first', () => {
    const [first, second] = [made(1, 'refused'), made(1, 'timed_out', { startedAt: SINCE + 1_500 })];
    expect(deliveryStatusOf(round, [first, second])).toEqual({
      state: 'pending',
      attempt: 2,
      at: first.startedAt + 30_000,
    });
    expect(deliveryStatusOf(round, [second, first])).toEqual(deliveryStatusOf(round, [first, second]));
  });

  it('ends as failed with the last attempt of its day', () => {
    const last = made(30, 'refused', { startedAt: SINCE + 83_010_000, finishedAt: SINCE + 83_020_000 });
    expect(deliveryStatusOf(round, [made(1, 'refused', { startedAt: SINCE }), last])).toEqual({
      state: 'failed',
      endedAt: last.finishedAt,
    });
  });

  it('knows nothing of the attempts of others', () => {
    const replay = { id: '01930000-0000-7000-8000-000000000003', since: SINCE + 5_000 };
    expect(deliveryStatusOf(replay, [made(1, 'succeeded')])).toEqual({
      state: 'pending',
      attempt: 1,
      at: replay.since,
    });
  });
});

it('is kept for 30 days after it ended, and always while it waits', () => {
  const ended = { state: 'failed', endedAt: SINCE } as const;
  expect([
    isRetained(ended, SINCE + DELIVERY_RETENTION_MS - 1),
    isRetained(ended, SINCE + DELIVERY_RETENTION_MS),
  ]).toEqual([true, false]);
  expect(isRetained({ state: 'pending', attempt: 1, at: SINCE }, SINCE + 2 * DELIVERY_RETENTION_MS)).toBe(true);
});
