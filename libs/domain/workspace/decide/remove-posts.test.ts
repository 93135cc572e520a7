import { expect, test } from 'vitest';
import { aWorkspace, DAY, RULES, START, type Scenario } from '#testing/scenario.ts';
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
      { state: workspace.state, view: viewOf(workspace.posts), now, rules: RULES, holds: [], restoration: null },
    );
  const early = remove(START + DAY + RULES.postsKeptMs);
  expect(early).toMatchObject({ effects: [], state: { xCredits: { available: 2, reserved: 1 } } });
  const removed = remove(START + DAY + RULES.postsKeptMs + 1);
  expect(removed.effects).toMatchObject([{ kind: 'post-removed', post: { id: postId } }]);
  expect(removed.state!.xCredits).toEqual({ available: 2, reserved: 0 });
});

test.each<[string, (workspace: Scenario, postId: string) => unknown]>([
  ['was cancelled', (workspace, postId) => workspace.must({ type: 'CancelPost', postId })],
  ['failed', (workspace, postId) => (workspace.advance(DAY), workspace.fail(postId))],
  ['has an unknown outcome', (workspace, postId) => (workspace.advance(DAY), workspace.unconfirm(postId))],
])('a Post that %s is removed although its first comment never went out', (_, end) => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('threads');
  const channelOptions = { [channelId]: { firstComment: '#tags' } };
  const postId = workspace.post({ scheduledAt: START + DAY, channelOptions });
  end(workspace, postId);
  expect(removedLater(workspace, [postId])).toEqual([postId]);
});

/** Which of the Posts are removed once the last of them has ended long enough ago. */
function removedLater(workspace: Scenario, postIds: readonly string[]): readonly string[] {
  workspace.advance(RULES.filesKeptMs);
  workspace.advance(2 * RULES.postsKeptMs);
  const command = { type: 'RemovePosts', workspaceId: workspace.id, postIds, empty: { days: [], weeks: [] } } as const;
  const view = viewOf(workspace.posts);
  const { effects } = decide(command, {
    state: workspace.state,
    view,
    now: workspace.now,
    rules: RULES,
    holds: [],
    restoration: null,
  });
  return effects.flatMap((effect) => (effect.kind === 'post-removed' ? [effect.post.id] : []));
}

function viewOf(posts: ReturnType<typeof aWorkspace>['posts']): Parameters<typeof decide>[1]['view'] {
  const none = new Map<string, never>();
  return { posts, assets: none, digests: none, idempotencyKeys: none, tokenOwners: none, dueWeek: null };
}
