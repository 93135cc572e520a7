import { expect, test } from 'vitest';
import { aWorkspace, HOUR, START } from '#testing/scenario.ts';
import { jsonBytes } from '../../json-size.ts';

const readings = (told: { readonly effects: readonly { readonly kind: string }[] }) =>
  told.effects.filter(({ kind }) => kind === 'metrics-timer');

test('how a Variant of youtube does is read from an hour after it was published', () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('youtube');
  const postId = workspace.post({ channelOptions: { [channelId]: { youtube: { title: 'A film' } } } });
  const reading = {
    workspaceId: workspace.id,
    variantId: workspace.variant(postId).id,
    network: 'youtube',
    channelId,
    remoteId: 'remote',
    publishedAt: START,
    dueAt: START + HOUR,
  };
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

test.each(['"', '\u0001', '長', '👋'])(
  'what a Network says at great length, in %j, is kept shortened, and events stay bounded',
  (unit) => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = workspace.post();
    const detail = `The Network said ${unit.repeat(500_000)}`;
    workspace.tell({
      type: 'PublishFailed',
      workspaceId: workspace.id,
      variantId: workspace.variant(postId).id,
      attempt: 1,
      reason: 'rejected_by_platform',
      detail,
    });
    const kept = workspace.variant(postId).failureDetail!;
    expect(jsonBytes(kept)).toBeLessThanOrEqual(2_048);
    expect([kept.startsWith('The Network said '), kept.endsWith('…'), kept.isWellFormed()]).toEqual([true, true, true]);
  },
);

test('a failure detail of 500 Chinese characters is kept whole', () => {
  const workspace = aWorkspace();
  workspace.channel('threads');
  const postId = workspace.post();
  const detail = '長'.repeat(500);
  workspace.tell({
    type: 'PublishFailed',
    workspaceId: workspace.id,
    variantId: workspace.variant(postId).id,
    attempt: 1,
    reason: 'rejected_by_platform',
    detail,
  });
  expect(workspace.variant(postId).failureDetail).toBe(detail);
});

test('a permalink and an id too long to be kept are left out, not cut, and nothing is read by such an id', () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('youtube');
  const postId = workspace.post({ channelOptions: { [channelId]: { youtube: { title: 'A film' } } } });
  const long = 'x'.repeat(3_000);
  const told = workspace.tell({
    type: 'PublishSucceeded',
    workspaceId: workspace.id,
    variantId: workspace.variant(postId).id,
    attempt: 1,
    remoteId: long,
    permalink: `https://a.test/${long}`,
  });
  expect(workspace.variant(postId)).toMatchObject({ status: 'published', remoteId: null, permalink: null });
  expect(readings(told)).toEqual([]);
});
