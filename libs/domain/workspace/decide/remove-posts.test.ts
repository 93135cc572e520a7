import { expect, test } from 'vitest';
import { aWorkspace, DAY, RULES, START } from '#testing/scenario.ts';
import { decide } from '../decide.ts';

test('a Post that is removed takes the credits with it that its unknown outcome kept', () => {
  const workspace = aWorkspace({ credits: 3 });
  workspace.channel('x');
  const postId = workspace.post({ scheduledAt: START + DAY });
  workspace.now = START + DAY;
  workspace.due(postId);
  workspace.unconfirm(postId);
  expect(workspace.workspace.xCredits).toEqual({ available: 2, reserved: 1 });
  const remove = (now: number) =>
    decide(
      { type: 'RemovePosts', workspaceId: workspace.id, postIds: [postId], empty: { days: [], weeks: [] } },
      { state: workspace.state, view: viewOf(workspace.posts), now, rules: RULES, holds: [] },
    );
  const early = remove(START + DAY + RULES.postsKeptMs);
  expect(early).toMatchObject({ effects: [], state: { xCredits: { available: 2, reserved: 1 } } });
  const removed = remove(START + DAY + RULES.postsKeptMs + 1);
  expect(removed.effects).toMatchObject([{ kind: 'post-removed', post: { id: postId } }]);
  expect(removed.state!.xCredits).toEqual({ available: 2, reserved: 0 });
});

function viewOf(posts: ReturnType<typeof aWorkspace>['posts']): Parameters<typeof decide>[1]['view'] {
  const none = new Map<string, never>();
  return { posts, assets: none, digests: none, idempotencyKeys: none, tokenOwners: none, dueWeek: null };
}
