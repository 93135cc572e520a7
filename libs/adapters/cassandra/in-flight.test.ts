import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { InFlight } from './in-flight.ts';

/** Requests that end when the test says so; `begun`: whose, in the order in which they began. */
function requests(limit: number, mostOfOwner: number) {
  const inFlight = new InFlight(limit, mostOfOwner);
  const begun: (string | null)[] = [];
  const ends: (() => void)[] = [];
  return {
    inFlight,
    begun,
    ask: (of: string | null, times = 1): void => {
      for (let time = 0; time < times; time++)
        void inFlight.run(of, () => {
          begun.push(of);
          return new Promise<void>((resolve) => ends.push(resolve));
        });
    },
    /** Ends the oldest ones that go on. */
    end: async (times = 1): Promise<void> => {
      for (let time = 0; time < times; time++) {
        ends.shift()!();
        await setImmediate();
      }
    },
  };
}

test('one that asks for thousands has so many at most, and another one begins at once', () => {
  const { ask, begun } = requests(8, 4);
  ask('much', 1_000);
  expect(begun).toEqual(['much', 'much', 'much', 'much']);
  ask('little');
  expect(begun.at(-1)).toBe('little');
});

test('where all go on, those that wait take turns by owner', async () => {
  const { ask, begun, end } = requests(4, 4);
  ask('much', 100);
  ask('little', 2);
  ask('third');
  expect(begun).toEqual(['much', 'much', 'much', 'much']);
  await end(4);
  expect(begun.slice(4)).toEqual(['much', 'little', 'third', 'much']);
  await end(2);
  expect(begun.slice(8)).toEqual(['little', 'much']);
});

test('an owner that has its most is passed over in its turn, and has the next place that it may have', async () => {
  const { ask, begun, end } = requests(3, 2);
  ask('a', 3);
  ask('b', 2);
  expect(begun).toEqual(['a', 'a', 'b']);
  // The first of a ends: a may have one more, and is first.
  await end();
  expect(begun).toEqual(['a', 'a', 'b', 'a']);
  await end();
  expect(begun).toEqual(['a', 'a', 'b', 'a', 'b']);
});

test('requests without an owner are bounded by the limit of all alone, and none waits while a place is free', async () => {
  const { ask, begun, end } = requests(6, 2);
  ask(null, 5);
  ask('a', 3);
  expect(begun).toEqual([null, null, null, null, null, 'a']);
  await end(6);
  expect(begun.slice(6)).toEqual(['a', 'a']);
});

test('a request that fails gives its place back, and owners without requests are forgotten', async () => {
  const { inFlight } = requests(1, 1);
  const failing = inFlight.run('a', () => Promise.reject(new Error('away')));
  const next = inFlight.run('b', async () => 'done');
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe('done');
  expect(inFlight.owners).toBe(0);
});
