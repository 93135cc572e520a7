import { describe, expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
import { renderPost } from '#domain/post/render.ts';
import { completedUpload } from '#testing/completed-upload.ts';
import { aWorkspace, DAY, START } from '#testing/scenario.ts';

type Scenario = ReturnType<typeof aWorkspace>;

function blockersFor(
  workspace: Scenario,
  channelId: string,
  options: ChannelOptions,
  more: { readonly text?: string } = {},
): readonly string[] {
  const sent = workspace.creating({ channelIds: [channelId], channelOptions: { [channelId]: options }, ...more });
  const { result } = workspace.tell(sent);
  return result?.ok === false ? (result.blockers ?? []).map(({ message }) => message) : [];
}

describe('options that a Network lacks', () => {
  test.each<[Network, ChannelOptions, string]>([
    ['x', { link: false }, 'X has no option link. Leave it out for this Channel; it has text, firstComment'],
    ['tiktok', { firstComment: 'hi' }, 'TikTok has no option firstComment.'],
    ['threads', { cover: { atSeconds: 1 } }, 'Threads has no option cover.'],
    ['x', { cover: { atSeconds: 1 } }, 'X has no option cover.'],
    ['facebook', { tags: ['a'] }, 'Facebook has no option tags.'],
    ['youtube', { privacy: 'friends' }, 'YouTube has no privacy friends. Choose public, unlisted or private.'],
    [
      'tiktok',
      { privacy: 'unlisted' },
      'TikTok has no privacy unlisted. Choose public, friends, followers or only_me.',
    ],
  ])('are blockers that name them: %s %o', (network, options, message) => {
    const workspace = aWorkspace({ credits: 2 });
    expect(blockersFor(workspace, workspace.channel(network), options)).toContainEqual(
      expect.stringContaining(message),
    );
  });

  test('under the name of another Network are ignored, as they always were', () => {
    const workspace = aWorkspace({ credits: 2 });
    expect(blockersFor(workspace, workspace.channel('x'), { youtube: { title: 'a title' } })).toEqual([]);
  });
});

test('a Story takes no text, no first comment and no cover of its own', () => {
  const workspace = aWorkspace();
  const page = workspace.channel('facebook');
  const options = { placement: 'story', text: 'words', firstComment: 'hi', cover: { atSeconds: 1 } } as const;
  const found = blockersFor(workspace, page, options);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringContaining('A Story carries no text.'),
      expect.stringContaining('A Story takes no first comment.'),
      expect.stringContaining('A Story takes no cover.'),
    ]),
  );
});

test('the text of a Channel takes the place of the Post’s, also when it is empty', () => {
  const workspace = aWorkspace({ credits: 2 });
  const [one, other] = [workspace.channel('x'), workspace.channel('threads')];
  expect(blockersFor(workspace, one, { text: '' }, { text: 'words' })).toEqual(['Add a text or a file.']);
  const postId = workspace.post({ text: '', channelOptions: { [one]: { text: 'A' }, [other]: { text: 'B' } } });
  const shown = renderPost(workspace.postOf(postId), workspace.workspace.channels, () => 'https://media.test');
  expect(shown.text).toBe('');
  expect(shown.variants.map(({ text }) => text)).toEqual(['A', 'B']);
});

test('of a Post for the feed and a Story, the text and the first comment belong to the feed', () => {
  const workspace = aWorkspace();
  const page = workspace.channel('facebook');
  const file = completedUpload(workspace);
  const postId = workspace.post({
    text: '',
    media: [{ assetId: file }],
    channelOptions: { [page]: { placement: 'feed_and_story', text: 'A', firstComment: 'hi' } },
  });
  const { variants } = renderPost(workspace.postOf(postId), workspace.workspace.channels, () => 'https://media.test');
  expect(variants.map(({ placement, text, firstComment }) => [placement, text, firstComment?.status ?? null])).toEqual([
    ['feed', 'A', 'waiting'],
    ['story', null, null],
  ]);
});

describe('the defaults of a Channel', () => {
  test('hold where a Post says nothing, and are frozen when it is created', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('facebook');
    const set = (defaults: ChannelOptions) => workspace.must({ type: 'SetChannelDefaults', channelId, defaults });
    set({ link: false, firstComment: 'a' });
    const first = workspace.post({ text: 'first' });
    const second = workspace.post({ text: 'second', channelOptions: { [channelId]: { link: true } } });
    set({ firstComment: 'b' });
    const optionsOf = (postId: string) => workspace.postOf(postId).channelOptions[channelId];
    expect(optionsOf(first)).toEqual({ link: false, firstComment: 'a' });
    expect(optionsOf(second)).toEqual({ link: true, firstComment: 'a' });
  });

  test('take the place of all that were set before, survive a reconnect, and do not come with another command', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('instagram');
    workspace.must({ type: 'SetChannelDefaults', channelId, defaults: { firstComment: '#one', shareToFeed: false } });
    workspace.must({ type: 'SetChannelDefaults', channelId, defaults: { shareToFeed: true } });
    const { accountId } = workspace.workspace.channels[channelId]!;
    const account = { network: 'instagram', name: 'ada', avatarUrl: null, accountId, kind: '' } as const;
    workspace.must({ type: 'ConnectChannel', channelId, ...account, defaults: { firstComment: 'other' } });
    expect(workspace.workspace.channels[channelId]!.defaults).toEqual({ shareToFeed: true });
  });

  test('never make a Story out of order', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('facebook');
    workspace.must({ type: 'SetChannelDefaults', channelId, defaults: { firstComment: '#one' } });
    const media = [{ assetId: completedUpload(workspace) }];
    workspace.post({ text: '', media, channelOptions: { [channelId]: { placement: 'story' } } });
  });

  test.each<[string, ChannelOptions, string]>([
    ['that the Network lacks', { privacy: 'public' }, 'invalid_request'],
    ['that are too long', { firstComment: 'a'.repeat(5_000) }, 'too_large'],
  ])('%s are refused', (_, defaults, code) => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    expect(workspace.tell({ type: 'SetChannelDefaults', channelId, defaults }).result).toMatchObject({ code });
    expect(workspace.workspace.channels[channelId]!.defaults).toBeUndefined();
  });
});

describe('a first comment on x', () => {
  test('takes a credit of its own, and a Post without enough of them is refused', () => {
    const workspace = aWorkspace({ credits: 1 });
    const channelId = workspace.channel('x');
    expect(blockersFor(workspace, channelId, { firstComment: 'hi' })).toEqual([
      'This Post needs 2 X Post credits and 1 is left. Buy more in the app.',
    ]);
    workspace.must({ type: 'AddCredits', credits: 1 });
    workspace.post({ channelOptions: { [channelId]: { firstComment: 'hi' } } });
    expect(workspace.workspace.xCredits).toEqual({ available: 0, reserved: 2 });
  });

  test('gives it back when the Post is cancelled, and takes it again with a retry', () => {
    const workspace = aWorkspace({ credits: 4 });
    const channelId = workspace.channel('x');
    const channelOptions = { [channelId]: { firstComment: 'hi' } };
    const cancelled = workspace.post({ channelOptions, scheduledAt: START + DAY });
    workspace.must({ type: 'CancelPost', postId: cancelled });
    expect(workspace.workspace.xCredits).toEqual({ available: 4, reserved: 0 });
    const [variant] = workspace.postOf(workspace.post({ channelOptions, text: 'again' })).variants;
    const about = { workspaceId: workspace.id, variantId: variant!.id, attempt: 1 } as const;
    workspace.tell({ type: 'PublishFailed', ...about, reason: 'rejected_by_platform', detail: 'no' });
    expect(workspace.workspace.xCredits).toEqual({ available: 4, reserved: 0 });
    workspace.must({ type: 'RetryVariant', variantId: variant!.id });
    expect(workspace.workspace.xCredits).toEqual({ available: 2, reserved: 2 });
  });
});
