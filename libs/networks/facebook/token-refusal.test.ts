import { expect, test } from 'vitest';
import type { Publication } from '../contract/adapter.ts';
import { adapter, ARMED_AT, photo, refusal, upright, video, work } from './facebook.fixture.ts';

const since = ARMED_AT;
const sent = { video: 'v9', from: 10, repeated: false, since };
const rupload = { ...sent, uploadUrl: 'https://rupload.facebook.com/v9', fetched: false };

const KINDS: readonly [string, Partial<Publication>, object][] = [
  ['a post', {}, { kind: 'post', photos: [], post: '77_1', since }],
  ['a photo', { media: [photo('a')] }, { kind: 'post', photos: ['p1'], post: '77_1', since }],
  ['a video', { media: [video(10)] }, { kind: 'video', session: 's1', to: 10, ...sent }],
  ['a reel', { media: [upright(10)] }, { kind: 'reel', ...rupload }],
  [
    'a Story with a picture',
    { placement: 'story', media: [photo('a')] },
    { kind: 'photoStory', photo: 'p1', repeated: false, since },
  ],
  ['a Story with a video', { placement: 'story', media: [upright(10)] }, { kind: 'videoStory', ...rupload }],
];
const ANSWERS = [
  refusal(400, 190, 460),
  refusal(401, 190),
  refusal(400, 190, 463, { is_transient: true }),
  refusal(400, 102),
  refusal(400, 463),
  refusal(400, 467),
];

test.each(KINDS)(
  'a token that is refused at the irreversible call of %s fails the Variant at once',
  async (_name, more, handle) => {
    for (const answer of ANSWERS) {
      const { publication, asked } = work([], [answer], more);
      expect(await adapter.publish(publication, JSON.stringify(handle))).toMatchObject({
        kind: 'failed',
        failure: { reason: 'needs_reconnect', retry: 'refresh' },
      });
      expect(asked).toHaveLength(1);
    }
  },
);

test.each(KINDS)('a token that is refused by a server in trouble says nothing of %s', async (_name, more, handle) => {
  const { publication } = work([], [refusal(500, 190)], more);
  expect(await adapter.publish(publication, JSON.stringify(handle))).toMatchObject({ kind: 'unknown' });
});
