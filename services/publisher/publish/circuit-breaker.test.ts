import { describe, expect, test } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

function open(): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (let i = 0; i < 7; i++) expect(breaker.recordResult(`account ${i % 4}`, false, 0)).toBeNull();
  expect(breaker.recordResult('account 3', false, 0)).toBe('opened');
  return breaker;
}

const waitOf = (breaker: CircuitBreaker, accountId: string, now: number): number =>
  breaker.admit(accountId, now)?.forMs ?? 0;

test('some trouble between answers holds nothing back', () => {
  const breaker = new CircuitBreaker();
  for (let i = 0; i < 100; i++) breaker.recordResult(`account ${i % 3}`, i % 8 === 7, i);
  expect(breaker.admit('account 1', 100)).toBeNull();
});

test('after eight troubles in a row everything waits, and then one attempt goes out', () => {
  const breaker = open();
  expect(breaker.admit('another', 1_000)).toEqual({ of: 'network', forMs: 4_000 });
  expect(breaker.admit('another', 5_000)).toBeNull();
  expect(breaker.admit('a third', 5_000)).toEqual({ of: 'network', forMs: 5_000 });
});

test('an answer to the probe lets everything out again', () => {
  const breaker = open();
  breaker.admit('another', 5_000);
  expect(breaker.recordResult('another', true, 5_100)).toBe('closed');
  expect([breaker.admit('account 1', 5_100), breaker.admit('a third', 5_100)]).toEqual([null, null]);
});

test('trouble of the probe doubles the pause, up to a minute', () => {
  const breaker = open();
  let now = 5_000;
  for (const pause of [10_000, 20_000, 40_000, 60_000, 60_000]) {
    const probe = `account of ${now}`;
    expect(breaker.admit(probe, now)).toBeNull();
    breaker.recordResult(probe, false, now);
    expect(waitOf(breaker, 'another', now)).toBe(pause);
    now += pause;
  }
});

test('calls under way when it opened do not lengthen the pause', () => {
  const breaker = open();
  for (let i = 0; i < 50; i++) breaker.recordResult(`account ${i % 4}`, false, 10);
  expect(breaker.admit('another', 5_000)).toBeNull();
});

test('a probe without a result is followed by another', () => {
  const breaker = open();
  breaker.admit('another', 5_000);
  expect(waitOf(breaker, 'a third', 34_999)).toBeGreaterThan(0);
  expect(waitOf(breaker, 'a third', 35_000)).toBe(0);
});

describe('failures of one account', () => {
  function failing(times: number): CircuitBreaker {
    const breaker = new CircuitBreaker();
    for (let i = 0; i < times; i++) expect(breaker.recordResult('a', false, 0)).toBeNull();
    return breaker;
  }

  test('open its own breaker alone, with the same pauses and probes', () => {
    const breaker = failing(8);
    expect([breaker.admit('a', 1_000), breaker.admit('b', 1_000)]).toEqual([{ of: 'account', forMs: 4_000 }, null]);
    expect([breaker.isOpenFor('a'), breaker.isOpenFor('b'), breaker.isOpen]).toEqual([true, false, false]);
    expect([waitOf(breaker, 'a', 5_000), waitOf(breaker, 'a', 5_000)]).toEqual([0, 5_000]);
    breaker.recordResult('a', false, 5_000);
    expect(waitOf(breaker, 'a', 5_000)).toBe(10_000);
    breaker.recordResult('b', true, 5_000);
    expect(waitOf(breaker, 'a', 5_000)).toBe(10_000);
    expect(waitOf(breaker, 'a', 15_000)).toBe(0);
    breaker.recordResult('a', true, 15_000);
    expect([waitOf(breaker, 'a', 15_000), waitOf(breaker, 'a', 15_000)]).toEqual([0, 0]);
  });

  test('do not make one failure of another account the last of eight', () => {
    const breaker = failing(100);
    for (let i = 0; i < 3; i++) expect(breaker.recordResult('b', false, 0)).toBeNull();
    expect(breaker.recordResult('b', false, 0)).toBe('opened');
  });

  test('that fails last open the breaker of the Network no longer for the others', () => {
    const breaker = open();
    expect(waitOf(breaker, 'account 3', 5_000)).toBe(0);
    breaker.recordResult('account 3', false, 5_100);
    expect(waitOf(breaker, 'account 3', 5_100)).toBe(29_900);
    expect(waitOf(breaker, 'another', 5_100)).toBe(0);
  });

  test('where no other attempts wait, are followed by probes of it', () => {
    const breaker = open();
    for (let now = 5_000; now < 100_000; now += 30_000) {
      expect(waitOf(breaker, 'account 3', now)).toBe(0);
      breaker.recordResult('account 3', false, now);
      expect(breaker.isKnownOpen(now + 60_000)).toBe(true);
    }
  });
});
