import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import type { ApiCall } from './caller.ts';
import { createPostsInBulk, type CreatePostsInBulkOptions } from './create-posts-in-bulk.ts';
import { listPosts, type ListPostsOptions } from './list-posts.ts';

const gone = new Error('the client left');
const slices = new TimeSlices({ clock: createMemoryClock() });

test('a list reads no more Posts once its client no longer waits', async () => {
  const leaving = new AbortController();
  let reads = 0;
  const list = async () => {
    if (++reads === 2) leaving.abort(gone);
    return { posts: [], more: reads < 5 };
  };
  const options = {
    posts: { list },
    workspaces: { channels: async () => ({}) },
    slices,
  } as unknown as ListPostsOptions;
  const call = { workspaceId: 'w', signal: leaving.signal } as ApiCall;
  await expect(listPosts(call, {}, options, () => null)).rejects.toBe(gone);
  expect(reads).toBe(2);
});

test('a bulk does nothing once its client no longer waits', async () => {
  const call = { workspaceId: 'w', signal: AbortSignal.abort(gone) } as ApiCall;
  const options = { slices } as unknown as CreatePostsInBulkOptions;
  await expect(createPostsInBulk(call, [{}], true, options)).rejects.toBe(gone);
});
