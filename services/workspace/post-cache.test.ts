import { expect, test } from 'vitest';
import type { Post } from '#domain/post/post.ts';
import { roughBytesOf } from '#domain/post/weight.ts';
import { NO_LOADS } from '#domain/workspace/loads.ts';
import type { TableStore } from '#ports/table-store.ts';
import { aBusyLife, live, UNKNOWN_DIGESTS } from './buckets.fixture.ts';
import { PostCache } from './post-cache.ts';
import { TurnView } from './view.ts';
import { openWorkspaceHarness } from './workspace-harness.fixture.ts';

const SHORT_OF = 2;

test('of more Posts due at once than have room, only those that do not fit are read again for their outcome', async () => {
  const life = aBusyLife();
  const harness = openWorkspaceHarness('partition');
  await live(harness, life);
  const posts = life.postIds.map((id) => life.scenario.posts.get(id)!);
  const room = posts.slice(SHORT_OF).reduce((sum, post) => sum + roughBytesOf(post), 0);
  const cache = new PostCache(room);
  let reads = 0;
  const slice: TableStore['slice'] = (...about) => {
    reads++;
    return harness.store.slice(...about);
  };
  const store = { slice, read: (...about) => harness.store.read(...about) } as TableStore;
  const turn = async (postId: string, change: (post: Post) => Post): Promise<void> => {
    const view = new TurnView({ workspaceId: life.scenario.id, store, posts: cache, ...UNKNOWN_DIGESTS });
    await view.loadAll([{ ...NO_LOADS, posts: [postId] }]);
    view.apply({ posts: [change(view.posts.get(postId)!)], effects: [] });
    view.rememberRead(new Set([postId]));
    view.remember([postId], 0);
  };
  const as = (status: 'publishing' | 'published') => (post: Post) => ({
    ...post,
    variants: post.variants.map((variant) => ({ ...variant, status })),
  });
  for (const { id } of posts) await turn(id, as('publishing'));
  const before = reads;
  for (const { id } of posts) await turn(id, as('published'));
  expect(reads - before).toBeGreaterThanOrEqual(SHORT_OF);
  // A Post may be looked for in two buckets.
  expect(reads - before).toBeLessThanOrEqual(2 * SHORT_OF);
});
