import { expect, test } from 'vitest';
import { Circuit } from './circuit-breaker.ts';

function open(): Circuit {
  const circuit = new Circuit();
  for (let i = 0; i < 7; i++) expect(circuit.heard(false, 0)).toBeNull();
  expect(circuit.heard(false, 0)).toBe('opened');
  return circuit;
}

test('some trouble between answers holds nothing back', () => {
  const circuit = new Circuit();
  for (let i = 0; i < 100; i++) circuit.heard(i % 8 === 7, i);
  expect(circuit.admit(100)).toBe(0);
});

test('after eight troubles in a row everything waits, and then one attempt goes out', () => {
  const circuit = open();
  expect(circuit.admit(1_000)).toBe(4_000);
  expect(circuit.admit(5_000)).toBe(0);
  expect(circuit.admit(5_000)).toBe(5_000);
});

test('an answer to the probe lets everything out again', () => {
  const circuit = open();
  circuit.admit(5_000);
  expect(circuit.heard(true, 5_100)).toBe('closed');
  expect([circuit.admit(5_100), circuit.admit(5_100)]).toEqual([0, 0]);
});

test('trouble of the probe doubles the pause, up to a minute', () => {
  const circuit = open();
  let now = 5_000;
  for (const pause of [10_000, 20_000, 40_000, 60_000, 60_000]) {
    expect(circuit.admit(now)).toBe(0);
    circuit.heard(false, now);
    expect(circuit.admit(now)).toBe(pause);
    now += pause;
  }
});

test('what was under way when it opened does not lengthen the pause', () => {
  const circuit = open();
  for (let i = 0; i < 50; i++) circuit.heard(false, 10);
  expect(circuit.admit(5_000)).toBe(0);
});

test('a probe that nobody hears of is followed by another', () => {
  const circuit = open();
  circuit.admit(5_000);
  expect(circuit.admit(34_999)).toBeGreaterThan(0);
  expect(circuit.admit(35_000)).toBe(0);
});
