import { expect, test } from 'vitest';
import { TimeSlices } from './time-slice.ts';

/** Time that passes by working, and a loop of which each turn is counted. */
function loop() {
  const state = { now: 0, turns: 0 };
  const clock = {
    monotonic: () => state.now,
    sleep: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      state.turns += 1;
    },
  };
  return { state, slices: new TimeSlices(clock) };
}

test('work of many short pieces gives way each time its slice is used up, and not before', async () => {
  const { state, slices } = loop();
  const between = slices.begin();
  for (let piece = 0; piece < 100; piece++) {
    state.now += 1;
    await between();
  }
  expect(state.turns).toBe(10);
});

test('two that work beside each other are let on in turns of their own', async () => {
  const { state, slices } = loop();
  const pieces: string[] = [];
  const work = async (name: string): Promise<void> => {
    const between = slices.begin();
    for (let piece = 0; piece < 3; piece++) {
      state.now += 10;
      pieces.push(`${name} in turn ${state.turns}`);
      await between();
    }
  };
  await Promise.all([work('a'), work('b')]);
  expect(pieces).toEqual(['a in turn 0', 'b in turn 0', 'a in turn 1', 'b in turn 2', 'a in turn 3', 'b in turn 4']);
});
