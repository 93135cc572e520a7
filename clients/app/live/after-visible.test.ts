import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterVisible } from './after-visible.ts';
import { ChangeBatches, type ChangeBatch } from './change-batches.ts';

const page = Object.assign(new EventTarget(), { hidden: true });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(isShown: boolean): void {
  page.hidden = !isShown;
  page.dispatchEvent(new Event('visibilitychange'));
}

test('what a hidden tab heard in a night is read in one go when it is visible again', async () => {
  show(false);
  const read: ChangeBatch[] = [];
  const batches = new ChangeBatches({ read: async (batch) => void read.push(batch), after: afterVisible });
  for (let change = 0; change < 50; change++) {
    batches.add({ kind: 'changed', postIds: [`p${change}`], channels: false, all: false });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(read).toEqual([]);
  show(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read.map(({ postIds }) => postIds.length)).toEqual([50]);
});

test('what was prevented while the tab was hidden is not called when it is visible', () => {
  show(false);
  const called = vi.fn();
  const prevent = afterVisible(10, called);
  vi.advanceTimersByTime(20);
  prevent();
  show(true);
  expect(called).not.toHaveBeenCalled();
  afterVisible(10, called);
  vi.advanceTimersByTime(20);
  expect(called).toHaveBeenCalledOnce();
});
