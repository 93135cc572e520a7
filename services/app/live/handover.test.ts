import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Handover } from './handover.ts';
import { SignalQueue, type ChangeSignal } from './signal-queue.ts';

const changed = (...postIds: string[]): ChangeSignal => ({ kind: 'changed', postIds, channels: false });

function pageOf() {
  const handover = new Handover();
  const queue = new SignalQueue(
    (signal) => handover.put(signal),
    () => expect.unreachable(),
  );
  const page = new AbortController();
  return { queue, page, next: () => handover.take(page.signal) };
}

test('a page that waits hears the next change, and only what is new', async () => {
  const { queue, next } = pageOf();
  for (const postId of ['a', 'b']) {
    const heard = next();
    queue.offer(changed(postId));
    expect(await heard).toEqual(changed(postId));
  }
});

test('what changed while a page was busy is one change', async () => {
  const { queue, next } = pageOf();
  for (const postId of ['a', 'b', 'c']) queue.offer(changed(postId));
  expect([await next(), await next()]).toEqual([changed('a'), changed('b', 'c')]);
});

test('a page that was closed waits no longer, and nothing is left on its signal', async () => {
  const { queue, page, next } = pageOf();
  for (let change = 0; change < 50; change++) {
    const heard = next();
    queue.offer(changed('a'));
    await heard;
  }
  expect(getEventListeners(page.signal, 'abort')).toHaveLength(0);
  const last = next();
  page.abort();
  expect([await last, await next()]).toEqual([null, null]);
});
