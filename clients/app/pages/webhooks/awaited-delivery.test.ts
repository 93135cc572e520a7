import { expect, test } from 'vitest';
import { isAwaited, type AwaitedDelivery } from './awaited-delivery.ts';

const NOW = Date.UTC(2026, 10, 23, 9);
const AGAIN: AwaitedDelivery = { id: 'd', before: { state: 'failed', attempts: 8 }, askedAt: NOW };
const TEST: AwaitedDelivery = { id: 'd', before: null, askedAt: NOW };

test.each<[string, boolean, Parameters<typeof isAwaited>[1]]>([
  ['is as it was', true, [{ id: 'd', state: 'failed', attempts: 8 }]],
  ['is under way', false, [{ id: 'd', state: 'pending', attempts: 8 }]],
  ['has failed once more', false, [{ id: 'd', state: 'failed', attempts: 9 }]],
  ['has arrived', false, [{ id: 'd', state: 'succeeded', attempts: 9 }]],
  ['is no longer among the latest', false, [{ id: 'other', state: 'failed', attempts: 8 }]],
])('a delivery that was sent again and %s is awaited: %s', (_what, is, read) =>
  expect(isAwaited(AGAIN, read, NOW)).toBe(is),
);

test('a test is awaited until it is listed', () => {
  expect(isAwaited(TEST, undefined, NOW)).toBe(true);
  expect(isAwaited(TEST, [], NOW)).toBe(true);
  expect(isAwaited(TEST, [{ id: 'd', state: 'succeeded', attempts: 1 }], NOW)).toBe(false);
});

test('nothing is awaited for more than two minutes', () => {
  const read = [{ id: 'd', state: 'failed', attempts: 8 }] as const;
  expect(isAwaited(AGAIN, read, NOW + 120_000)).toBe(true);
  expect(isAwaited(AGAIN, read, NOW + 120_001)).toBe(false);
  expect(isAwaited(null, read, NOW)).toBe(false);
});
