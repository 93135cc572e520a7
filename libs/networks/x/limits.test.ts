import { expect, test } from 'vitest';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
import type { JudgeOnce } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import type { LimitProblem } from '#domain/network-limits.ts';
import { xLimits } from './limits.ts';

const image: DraftFile = { kind: 'image', contentType: 'image/jpeg', bytes: 1_000, altText: '' };
const video: DraftFile = { ...image, kind: 'video', contentType: 'video/mp4' };
const gif: DraftFile = { ...image, contentType: 'image/gif' };
const unknown: DraftFile = { ...image, kind: null, contentType: '', bytes: null };
const channel = {
  id: 'c',
  network: 'x',
  name: 'n',
  avatarUrl: null,
  accountId: '1',
  kind: '',
  state: 'connected',
  connectedAt: 0,
  seenAt: 0,
  disconnects: 0,
  lastDisconnect: null,
} as const;
const judge = (text: string, media: readonly DraftFile[], kind = '', options: ChannelOptions = {}) =>
  xLimits.judge({ text, placement: 'feed', media, channel: { ...channel, kind }, options });
const many = (count: number, file = image) => Array.from({ length: count }, () => file);

test.each<[string, readonly DraftFile[], readonly string[]]>([
  ['', many(4), []],
  ['', many(5), ['problem']],
  ['', many(5, unknown), ['problem']],
  ['', [video], []],
  ['', [video, video], ['problem']],
  ['', [image, video], ['problem']],
  ['', [gif], []],
  ['', [gif, image], ['problem']],
  ['a'.repeat(280), [image], []],
  ['a'.repeat(281), [image], ['problem']],
  ['a'.repeat(281), many(5), ['problem', 'problem']],
  ['', [{ ...image, altText: 'a'.repeat(1_000) }], []],
  ['', [{ ...image, altText: 'a'.repeat(1_001) }], ['problem']],
  ['', [{ ...video, altText: 'a'.repeat(1_001) }], []],
  ['', [{ ...video, durationMs: 20 * 60_000 }], []],
  ['', [{ ...video, durationMs: null }], []],
])('%.12s with %j', (text, media, codes) => {
  expect(judge(text, media).map(({ code }) => code)).toEqual(codes);
});

test('how long a video may be depends on what the account subscribes to', () => {
  const long = [{ ...video, durationMs: 20 * 60_000 + 1 }];
  expect(judge('', long).map(({ message }) => message)).toEqual([
    'The video is too long for X: 21 of at most 20 minutes without a subscription.',
  ]);
  expect(judge('', long, 'premium')).toEqual([]);
  const longer = [{ ...video, durationMs: 125 * 60_000 + 1 }];
  expect(judge('', longer, 'premium').map(({ message }) => message)).toEqual([
    'The video is too long for X: 126 of at most 125 minutes.',
  ]);
});

test.each<[string, string, string, readonly string[]]>([
  ['that fits', 'a'.repeat(280), '', []],
  ['that fits a subscription', 'a'.repeat(281), 'premium', []],
  [
    'that is too long',
    'a'.repeat(281),
    '',
    ['The first comment is too long for X: 281 of at most 280 characters as X counts them.'],
  ],
  ['of links', 'https://example.com/a '.repeat(11).trim(), '', []],
  [
    'with a byte order mark',
    'a\uFEFF',
    '',
    ['The first comment holds a character that X refuses (a byte order mark or a non-character).'],
  ],
])('a first comment %s', (_name, firstComment, kind, messages) => {
  expect(judge('hi', [], kind, { firstComment }).map(({ message }) => message)).toEqual(messages);
});

test('a text that Channels share is measured once, whatever else they choose', () => {
  const keys: string[] = [];
  const made = new Map<string, readonly LimitProblem[]>();
  const once: JudgeOnce = (key, measure) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    keys.push(key);
    const found = measure();
    made.set(key, found);
    return found;
  };
  const judged = ['basic', 'premium', ''].flatMap((kind, index) =>
    xLimits.judge(
      {
        text: 'a'.repeat(25_001),
        placement: 'feed',
        media: [],
        channel: { ...channel, kind },
        options: { firstComment: `${index}` },
      },
      once,
    ),
  );
  expect(judged).toHaveLength(3);
  // The text by the limits of two kinds of Channel, and three first comments, of which one has other limits.
  expect(keys).toHaveLength(5);
});
