import { expect, test } from 'vitest';
import { clockSuite } from '#port-suites/clock.ts';
import { createMemoryClock } from './clock.ts';

clockSuite('memory clock', () => {
  const clock = createMemoryClock();
  return { clock, pass: (ms) => clock.advance(ms), move: (ms) => clock.moveWall(ms) };
});

test('a timer armed by a timer runs at its own instant within one advance', async () => {
  const clock = createMemoryClock(0);
  const ran: number[] = [];
  const again = () => {
    ran.push(clock.now());
    if (ran.length < 4) clock.after(10, again);
  };
  clock.after(10, again);
  await clock.advance(35);
  expect([ran, clock.now(), clock.armed()]).toEqual([[10, 20, 30], 35, 1]);
});

test('a sleeper continues at the instant at which it woke', async () => {
  const clock = createMemoryClock(0);
  const woke: number[] = [];
  const sleeper = (async () => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(100);
      woke.push(clock.now());
    }
  })();
  await clock.advance(1000);
  await sleeper;
  expect(woke).toEqual([100, 200, 300]);
});

test('timers of one instant run in the order they were armed', async () => {
  const clock = createMemoryClock(0);
  const ran: number[] = [];
  for (const n of [1, 2, 3, 4, 5]) clock.after(10, () => ran.push(n));
  await clock.advance(10);
  expect(ran).toEqual([1, 2, 3, 4, 5]);
});

test('moving time back, or two advances at once, is a programming error', async () => {
  const clock = createMemoryClock(0);
  await expect(clock.advance(-1)).rejects.toThrow();
  const first = clock.advance(1);
  await expect(clock.advance(1)).rejects.toThrow();
  await first;
});
