import { expect, test } from 'vitest';
import { aWorkspace, HOUR, START } from '#testing/scenario.ts';

const readings = (told: { readonly effects: readonly { readonly kind: string }[] }) => told.effects.filter(({ kind }) => kind === 'metrics-timer');

test('how a Variant of youtube does is read from an hour after it was published', () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('youtube');
  const postId = workspace.post({ channelOptions: { [channelId]: { youtube: { title: 'A film' } } } });
  const reading = { workspaceId: workspace.id, variantId: workspace.variant(postId).id, network: 'youtube', channelId, remoteId: 'remote', publishedAt: START, dueAt: START + HOUR };
  expect(readings(workspace.succeed(postId))).toEqual([{ kind: 'metrics-timer', reading }]);
  expect(readings(workspace.succeed(postId)), 'said twice').toEqual([]);
});

test('a late proof that a Variant of youtube is live begins its readings too', () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('youtube');
  const postId = workspace.post({ channelOptions: { [channelId]: { youtube: { title: 'A film' } } } });
  expect(readings(workspace.unconfirm(postId))).toEqual([]);
  expect(readings(workspace.succeed(postId))).toHaveLength(1);
});

test.each(['x', 'threads', 'facebook'] as const)('nothing is read of %s', (network) => {
  const workspace = aWorkspace();
  workspace.channel(network);
  expect(readings(workspace.succeed(workspace.post()))).toEqual([]);
});
