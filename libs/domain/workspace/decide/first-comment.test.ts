import { expect, test } from 'vitest';
import { renderPost } from '#domain/post/render.ts';
import { aWorkspace, HOUR, type Scenario } from '#testing/scenario.ts';
import type { FirstCommentEnded } from '../commands.ts';

function published(network: 'x' | 'threads' = 'threads') {
  const workspace = aWorkspace({ credits: 2 });
  const channelId = workspace.channel(network);
  const postId = workspace.post({ channelOptions: { [channelId]: { firstComment: '#tags' } } });
  const variantId = workspace.variant(postId).id;
  const about = { workspaceId: workspace.id, variantId };
  const { effects } = workspace.tell({
    type: 'PublishSucceeded',
    ...about,
    attempt: 1,
    remoteId: 'item-1',
    permalink: 'https://network.test/1',
  });
  const ends = (more: Pick<FirstCommentEnded, 'status'> & Partial<FirstCommentEnded>) =>
    workspace.tell({ type: 'FirstCommentEnded', ...about, permalink: null, detail: null, ...more });
  return { workspace, channelId, postId, effects, ends };
}

const shown = (workspace: Scenario, postId: string) =>
  renderPost(workspace.postOf(postId), workspace.workspace.channels, () => 'https://media.test').variants[0]!;

test('a Variant that is live leaves one job for its first comment, which is tried for a day', () => {
  const { workspace, channelId, postId, effects } = published();
  const { accountId } = workspace.workspace.channels[channelId]!;
  expect(effects.filter(({ kind }) => kind === 'comment')).toEqual([
    {
      kind: 'comment',
      job: {
        workspaceId: workspace.id,
        variantId: workspace.variant(postId).id,
        network: 'threads',
        channelId,
        accountId,
        itemId: 'item-1',
        dueAt: workspace.now,
        latestStart: workspace.now + 24 * HOUR,
      },
    },
  ]);
  expect(shown(workspace, postId).firstComment).toEqual({ status: 'waiting', permalink: null, detail: null });
});

test('a repeat of the report leaves no second job', () => {
  const { workspace, postId } = published();
  const variantId = workspace.variant(postId).id;
  const report = { type: 'PublishSucceeded', workspaceId: workspace.id, variantId, attempt: 1 } as const;
  expect(workspace.tell({ ...report, remoteId: 'item-1', permalink: null }).effects).toEqual([]);
});

test.each([
  ['published', { status: 'published', permalink: 'https://network.test/2', detail: null }],
  ['failed', { status: 'failed', permalink: null, detail: 'spam' }],
] as const)('its end, %s, is shown, changes nothing of the Variant, and is no event', (_, end) => {
  const { workspace, postId, ends } = published();
  const before = shown(workspace, postId);
  const { effects } = ends(end);
  expect(shown(workspace, postId)).toEqual({ ...before, firstComment: end });
  expect(effects.map(({ kind }) => kind)).toEqual(['variants-changed']);
  expect(ends({ status: 'failed', detail: 'again' }).effects).toEqual([]);
});

test('one of unknown outcome is shown as failed, until its proof comes', () => {
  const { workspace, postId, ends } = published();
  ends({ status: 'unconfirmed', detail: 'It may be there.' });
  expect(shown(workspace, postId).firstComment).toEqual({
    status: 'failed',
    permalink: null,
    detail: 'It may be there.',
  });
  ends({ status: 'published', permalink: 'https://network.test/2' });
  expect(shown(workspace, postId).firstComment).toMatchObject({ status: 'published' });
});

test.each([
  ['published', { available: 0, reserved: 0 }],
  ['failed', { available: 1, reserved: 0 }],
  ['unconfirmed', { available: 0, reserved: 0 }],
] as const)('on x its credit is spent or given back: %s', (status, credits) => {
  const { workspace, ends } = published('x');
  expect(workspace.workspace.xCredits).toEqual({ available: 0, reserved: 1 });
  ends({ status });
  expect(workspace.workspace.xCredits).toEqual(credits);
});

test('a Variant that failed leaves no job, and its comment waits for a retry', () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('threads');
  const postId = workspace.post({ channelOptions: { [channelId]: { firstComment: '#tags' } } });
  const about = { workspaceId: workspace.id, variantId: workspace.variant(postId).id, attempt: 1 };
  const { effects } = workspace.tell({ type: 'PublishFailed', ...about, reason: 'media_problem', detail: 'no' });
  expect(effects.map(({ kind }) => kind)).not.toContain('comment');
  expect(shown(workspace, postId).firstComment?.status).toBe('waiting');
});
