import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aWorkspace, DAY, RULES, START } from '#testing/scenario.ts';
import { isoOf, renderPost } from './render.ts';

it('a Post has every field of the specification, and times in UTC with milliseconds', () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('threads', 'Our threads');
  const postId = workspace.post({ scheduledAt: START + DAY, credential: { kind: 'key', keyId: workspace.key() } });
  expect(renderPost(workspace.postOf(postId), workspace.workspace.channels, RULES.mediaUrl)).toEqual({
    id: postId,
    text: 'Hello',
    createdAt: '2026-11-20T12:00:00.000Z',
    at: '2026-11-21T12:00:00.000Z',
    via: { kind: 'key', name: 'a key', by: 'Ada' },
    media: [],
    variants: [
      {
        id: `${postId.slice(0, -2)}01`,
        channelId,
        channelName: 'Our threads',
        network: 'threads',
        placement: 'feed',
        status: 'scheduled',
        scheduledAt: '2026-11-21T12:00:00.000Z',
        failureReason: null,
        failureDetail: null,
        permalink: null,
        mediaReady: true,
        channelDisconnected: false,
        cancelledByDisconnect: null,
        metrics: null,
        text: null,
        firstComment: null,
      },
    ],
  });
});

it('an immediate Post is at the moment it was written', () => {
  const workspace = aWorkspace();
  workspace.channel('threads');
  const body = renderPost(workspace.postOf(workspace.post()), workspace.workspace.channels, RULES.mediaUrl);
  expect(body).toMatchObject({
    at: body.createdAt,
    via: null,
    variants: [{ scheduledAt: null, status: 'publishing' }],
  });
});

it('a disconnected Channel is said to be, one that needs a reconnect is not', () => {
  const workspace = aWorkspace();
  const [gone, stale] = [workspace.channel('threads'), workspace.channel('x')];
  const postId = workspace.post();
  workspace.now += 1;
  workspace.must({ type: 'DisconnectChannel', channelId: gone, memberId: null });
  workspace.tell({
    type: 'MarkChannel',
    workspaceId: workspace.id,
    channelId: stale,
    state: 'needs_reconnect',
    seenAt: workspace.now,
  });
  const { variants } = renderPost(workspace.postOf(postId), workspace.workspace.channels, RULES.mediaUrl);
  expect(variants.map(({ channelDisconnected }) => channelDisconnected)).toEqual([true, false]);
});

it('figures are shown of published Variants only, and never unless they are given', () => {
  const figures = {
    views: 1,
    likes: 2,
    comments: 3,
    shares: 4,
    minutesWatched: 5,
    averageViewDuration: 6,
    averageViewPercentage: 7.5,
    subscribersGained: 8,
  };
  const metrics = { ...figures, days: [{ day: '2026-11-20', ...figures }] };
  const workspace = aWorkspace();
  const channelId = workspace.channel('youtube');
  const postId = workspace.post({ channelOptions: { [channelId]: { youtube: { title: 'A film' } } } });
  const shown = (known = new Map([[workspace.variant(postId).id, metrics]])) =>
    renderPost(workspace.postOf(postId), workspace.workspace.channels, RULES.mediaUrl, known).variants[0]!.metrics;
  expect(shown()).toBeNull();
  workspace.succeed(postId);
  expect(shown()).toEqual(metrics);
  expect(shown(new Map())).toBeNull();
});

it('an instant is written as Date writes it, whichever was written before', () => {
  const instants = fc.oneof(
    fc.integer({ min: START, max: START + DAY }),
    fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
    fc.double({ min: -4e12, max: 4e12, noNaN: true }),
  );
  fc.assert(fc.property(instants, (instant) => isoOf(instant) === new Date(instant).toISOString()));
  for (const none of [NaN, Infinity, 8_640_000_000_000_001]) expect(() => isoOf(none)).toThrow(RangeError);
});
