import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { StrangerLimits } from './stranger-limits.ts';

const PER_MINUTE = 60;

function open(maxRemembered?: number) {
  const clock = createMemoryClock(0);
  const limits = new StrangerLimits(clock, PER_MINUTE, maxRemembered);
  /** How many of so many requests are answered. */
  const answered = (address: string | undefined, requests: number) =>
    Array.from({ length: requests }, () => limits.take(address)).filter((refusal) => refusal === null).length;
  return { clock, limits, answered };
}

test('an address may use a minute’s requests at once, and each comes back in its time', async () => {
  const { clock, limits, answered } = open();
  expect(answered('203.0.113.7', 100)).toBe(PER_MINUTE);
  expect(limits.take('203.0.113.7')).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  await clock.advance(1_000);
  expect(answered('203.0.113.7', 10)).toBe(1);
  await clock.advance(600_000);
  expect(answered('203.0.113.7', 100)).toBe(PER_MINUTE);
});

test('one address does not use up what another may ask; all of one IPv6 network of 64 bits count as one', () => {
  const { answered } = open();
  expect(answered('203.0.113.7', 100)).toBe(PER_MINUTE);
  expect(answered('203.0.113.8', 100)).toBe(PER_MINUTE);
  expect(answered('::ffff:203.0.113.8', 1)).toBe(0);
  expect(answered('2001:db8::1', 40) + answered('2001:db8::ffff:1', 40)).toBe(PER_MINUTE);
  expect(answered('2001:db8:0:1::1', 1)).toBe(1);
});

test('addresses beyond the bound are forgotten, those first that asked longest ago', () => {
  const { limits, answered } = open(100);
  expect(answered('203.0.113.7', PER_MINUTE)).toBe(PER_MINUTE);
  for (let network = 0; network < 1_000; network++) limits.take(`2001:db8:0:${network.toString(16)}::1`);
  expect(limits.size).toBe(100);
  expect(answered('203.0.113.7', 1)).toBe(1);
});

test('without a limit nothing is refused or remembered', () => {
  const limits = new StrangerLimits(createMemoryClock(0), 0);
  for (let asked = 0; asked < 1_000; asked++) expect(limits.take('203.0.113.7')).toBeNull();
  expect(limits.size).toBe(0);
});
