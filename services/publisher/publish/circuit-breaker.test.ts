import { expect, test } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

function open(): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (let i = 0; i < 7; i++) expect(breaker.recordResult(false, 0)).toBeNull();
  expect(breaker.recordResult(false, 0)).toBe('opened');
  return breaker;
}

test('some trouble between answers holds nothing back', () => {
  const breaker = new CircuitBreaker();
  for (let i = 0; i < 100; i++) breaker.recordResult(i % 8 === 7, i);
  expect(breaker.admit(100)).toBe(0);
});

test('after eight troubles in a row everything waits, and then one attempt goes out', () => {
  const breaker = open();
  expect(breaker.admit(1_000)).toBe(4_000);
  expect(breaker.admit(5_000)).toBe(0);
  expect(breaker.admit(5_000)).toBe(5_000);
});

test('an answer to the probe lets everything out again', () => {
  const breaker = open();
  breaker.admit(5_000);
  expect(breaker.recordResult(true, 5_100)).toBe('closed');
  expect([breaker.admit(5_100), breaker.admit(5_100)]).toEqual([0, 0]);
});

test('trouble of the probe doubles the pause, up to a minute', () => {
  const breaker = open();
  let now = 5_000;
  for (const pause of [10_000, 20_000, 40_000, 60_000, 60_000]) {
    expect(breaker.admit(now)).toBe(0);
    breaker.recordResult(false, now);
    expect(breaker.admit(now)).toBe(pause);
    now += pause;
  }
});

test('calls under way when it opened do not lengthen the pause', () => {
  const breaker = open();
  for (let i = 0; i < 50; i++) breaker.recordResult(false, 10);
  expect(breaker.admit(5_000)).toBe(0);
});

test('a probe without a result is followed by another', () => {
  const breaker = open();
  breaker.admit(5_000);
  expect(breaker.admit(34_999)).toBeGreaterThan(0);
  expect(breaker.admit(35_000)).toBe(0);
});
