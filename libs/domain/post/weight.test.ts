import { expect, test } from 'vitest';
import { aWorkspace, DAY, START } from '#testing/scenario.ts';
import { MAX_RECORD_BYTES } from '#ports/log.ts';
import { MAX_BODY_BYTES } from '#ports/table-store.ts';
import type { Channels } from './render.ts';
import { outcomeOf } from '../workspace/events.ts';
import { MAX_STATE_BYTES } from '../workspace/room.ts';
import { cutToJsonBytes, jsonBytes } from '../json-size.ts';
import { markFailed } from '../variant/moves.ts';
import type { Post } from './post.ts';
import { MAX_CREATION_BYTES, MAX_EVENT_BYTES, tooLarge, type PostToWeigh } from './weight.ts';

const CONTROL = '\u0001';
const MAX_URL = `https://media.test/${'m'.repeat(500)}`;

const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** The largest text of `unit` that is taken on so many Channels with so many files. */
function largest(
  unit: string,
  channels: number,
  files: number,
): { readonly weighed: PostToWeigh; readonly text: string } {
  const channelIds = Array.from({ length: channels }, (_, index) => String(index).padStart(36, '0'));
  const channelOptions = Object.fromEntries(channelIds.map((id) => [id, { placement: 'feed_and_story' as const }]));
  const media = Array.from({ length: files }, () => ({ url: MAX_URL, altText: '"' }));
  let [taken, refused] = [0, 400_000];
  const weighed = (count: number) => ({ text: unit.repeat(count), channelIds, channelOptions, media });
  while (taken + 1 < refused) {
    const middle = (taken + refused) >> 1;
    if (tooLarge(weighed(middle)) === null) taken = middle;
    else refused = middle;
  }
  return { weighed: weighed(taken), text: unit.repeat(taken) };
}

test.each([
  [CONTROL, 1, 0],
  ['長', 1, 35],
  ['"', 100, 1],
  [CONTROL, 50, 100],
  ['👋', 100, 0],
])(
  'the largest text of %j on %i Channels with %i files fits an event when every Variant failed at length',
  (unit, channels, files) => {
    const { text, weighed } = largest(unit, channels, files);
    expect(text).not.toBe('');
    const workspace = aWorkspace({ plan: 'agency' });
    const ids = weighed.channelIds.map(() => workspace.channel('facebook', CONTROL.repeat(200)));
    const made = workspace.postOf(workspace.post({ text: 'a', scheduledAt: START + DAY, channelIds: ids }));
    const file = {
      assetId: made.id,
      kind: 'image',
      altText: '"',
      stored: { blob: 'b', contentType: 'video/quicktime' },
    } as const;
    const via = { kind: 'key', name: CONTROL.repeat(200), by: CONTROL.repeat(254) } as const;
    const failed = made.variants.map((variant) => markFailed(variant, 'rejected_by_platform', '"'.repeat(5_000)));
    const variants = failed.flatMap((variant) => [variant, { ...variant, placement: 'story' as const }]);
    const post: Post = { ...made, text, via, media: weighed.media.map(() => file), variants };
    const channelsNow: Channels = workspace.workspace.channels;
    const event = outcomeOf({ post, variant: 1, at: START }, { channels: channelsNow, mediaUrl: () => MAX_URL });
    expect(size(event)).toBeLessThanOrEqual(MAX_EVENT_BYTES);
  },
);

test('what is taken fits a record, and a head beside the largest state', () => {
  expect(MAX_EVENT_BYTES).toBeLessThan(MAX_RECORD_BYTES - 4_096);
  expect(MAX_CREATION_BYTES).toBeLessThan(MAX_BODY_BYTES - MAX_STATE_BYTES);
});

test('what Networks take is not refused: the longest text of facebook in Chinese on 100 Pages, feed and Story', () => {
  const channelIds = Array.from({ length: 100 }, (_, index) => String(index));
  const channelOptions = Object.fromEntries(channelIds.map((id) => [id, { placement: 'feed_and_story' as const }]));
  expect(
    tooLarge({
      text: '長'.repeat(63_206),
      channelIds,
      channelOptions,
      media: [{ assetId: 'a', altText: '長'.repeat(1_000) }],
    }),
  ).toBe(null);
});

test('what Networks take is not refused: 35 pictures with descriptions of 1,000 Chinese characters on 30 Channels', () => {
  const channelIds = Array.from({ length: 30 }, (_, index) => String(index));
  const media = Array.from({ length: 35 }, () => ({ assetId: 'a', altText: '長'.repeat(1_000) }));
  expect(tooLarge({ text: '長'.repeat(25_000), channelIds, channelOptions: {}, media })).toBe(null);
});

test.each([
  [
    'text',
    {
      text: CONTROL.repeat(100_000),
      media: Array.from({ length: 60 }, () => ({ url: MAX_URL, altText: 'a'.repeat(5_000) })),
    },
  ],
  [
    'descriptions of its files (altText)',
    { text: '', media: Array.from({ length: 90 }, () => ({ assetId: 'a', altText: 'a'.repeat(9_000) })) },
  ],
  [
    'addresses of its files (url)',
    { text: '', media: Array.from({ length: 100 }, () => ({ url: `https://a.test/${'長'.repeat(4_000)}` })) },
  ],
])('a Post that is too large says that it needs less %s', (what, about) => {
  expect(tooLarge({ channelIds: ['c'], channelOptions: {}, ...about })).toContain(what);
});

test('titles count even where no Network looks at them', () => {
  const channelIds = Array.from({ length: 100 }, (_, index) => String(index));
  const channelOptions = Object.fromEntries(
    channelIds.map((id) => [id, { youtube: { title: CONTROL.repeat(1_000) } }]),
  );
  expect(tooLarge({ text: 'a', channelIds, channelOptions, media: [] })).toContain('titles');
});

test.each(['', 'a', '"'.repeat(50), CONTROL.repeat(50), '長'.repeat(50), '👋'.repeat(50), `${'a'.repeat(60)}👋`])(
  'cut to bytes of JSON, %j fits and is well-formed',
  (text) => {
    for (let most = 5; most < 130; most++) {
      const cut = cutToJsonBytes(text, most);
      expect(jsonBytes(cut)).toBeLessThanOrEqual(most);
      expect(cut.isWellFormed()).toBe(true);
      if (jsonBytes(text) <= most) expect(cut).toBe(text);
      else expect(text.startsWith(cut.slice(0, -1))).toBe(true);
    }
  },
);

test('the values of options count by their number, so that many marked accounts on many Channels weigh what they take', () => {
  const channelIds = Array.from({ length: 100 }, (_, index) => String(index).padStart(36, '0'));
  const userTags = Array.from({ length: 20 }, (_, index) => ({ username: `account${index}`, x: 1 / 3, y: 2 / 3 }));
  const channelOptions = Object.fromEntries(channelIds.map((id) => [id, { userTags }]));
  const bytesLeft = (options: typeof channelOptions) => {
    let [fits, fails] = [0, 800_000];
    while (fails - fits > 100) {
      const middle = Math.floor((fits + fails) / 2);
      if (tooLarge({ text: 'a'.repeat(middle), channelIds, channelOptions: options, media: [] }) === null)
        fits = middle;
      else fails = middle;
    }
    return fits;
  };
  const taken = bytesLeft({}) - bytesLeft(channelOptions);
  expect(taken).toBeGreaterThan(Buffer.byteLength(JSON.stringify(channelOptions)) - 100);
});
