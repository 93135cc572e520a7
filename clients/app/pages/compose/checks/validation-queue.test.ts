import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ValidationQueue } from './validation-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function rig() {
  const asked: string[] = [];
  const told: string[] = [];
  const answers: { resolve: (verdict: string) => void; reject: (error: unknown) => void }[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const queue = new ValidationQueue<string, string>({
    quietMs: 400,
    ask: (input) => {
      asked.push(input);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      answers.push({ resolve, reject });
      return promise.finally(() => void (atOnce -= 1));
    },
    tell: (outcome) => told.push(outcome.kind === 'verdict' ? outcome.verdict : `failed: ${String(outcome.error)}`),
  });
  return { queue, asked, told, answers, mostAtOnce: () => mostAtOnce };
}

test('the server is asked once, when nothing was written for a while', async () => {
  const { queue, asked, told, answers } = rig();
  for (const text of ['t', 'te', 'tea']) {
    queue.submit(text);
    await vi.advanceTimersByTimeAsync(399);
  }
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual(['tea']);
  answers[0]!.resolve('good');
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(['good']);
});

test('never two at once, and an answer about what is no longer written is dropped', async () => {
  const { queue, asked, told, answers, mostAtOnce } = rig();
  queue.submit('one');
  await vi.advanceTimersByTimeAsync(400);
  queue.submit('two');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual(['one']);
  answers[0]!.resolve('about one');
  await vi.advanceTimersByTimeAsync(400);
  expect([asked, told]).toEqual([['one', 'two'], []]);
  answers[1]!.resolve('about two');
  await vi.advanceTimersByTimeAsync(0);
  expect([told, mostAtOnce()]).toEqual([['about two'], 1]);
});

test('a failure is reported, and the next input is asked about all the same', async () => {
  const { queue, told, answers } = rig();
  queue.submit('one');
  await vi.advanceTimersByTimeAsync(400);
  answers[0]!.reject('offline');
  await vi.advanceTimersByTimeAsync(0);
  queue.submit('two');
  await vi.advanceTimersByTimeAsync(400);
  answers[1]!.resolve('good');
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(['failed: offline', 'good']);
});

test('a page that was left hears nothing', async () => {
  const { queue, told, answers, asked } = rig();
  queue.submit('one');
  await vi.advanceTimersByTimeAsync(400);
  queue.cancel();
  answers[0]!.resolve('late');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([told, asked]).toEqual([[], ['one']]);
});
