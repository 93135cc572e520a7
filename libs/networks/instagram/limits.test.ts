import { expect, test } from 'vitest';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
import { instagramLimits } from './limits.ts';

const image: DraftFile = { kind: 'image', contentType: 'image/png', bytes: 1_000, altText: '' };
const video: DraftFile = { ...image, kind: 'video', contentType: 'video/mp4' };
const channel = {
  id: 'c',
  network: 'instagram',
  name: 'n',
  avatarUrl: null,
  accountId: '1',
  kind: 'business',
  state: 'connected',
  connectedAt: 0,
  seenAt: 0,
  disconnects: 0,
  lastDisconnect: null,
} as const;
const judge = (text: string, media: readonly DraftFile[], placement: Draft['placement'] = 'feed') =>
  instagramLimits.judge({ text, placement, media, channel, options: {} });
const many = (count: number, file: DraftFile = image) => Array.from({ length: count }, () => file);

test.each<[string, readonly DraftFile[], Draft['placement'], readonly string[]]>([
  ['hi', [image], 'feed', []],
  ['hi', [], 'feed', ['incomplete']],
  ['a'.repeat(2_200), [image], 'feed', []],
  ['😀'.repeat(1_101), [image], 'feed', ['problem']],
  ['#a '.repeat(30), [image], 'feed', []],
  ['#a '.repeat(31), [image], 'feed', ['problem']],
  ['#見て#é '.repeat(16), [image], 'feed', ['problem']],
  ['# #! '.repeat(40), [image], 'feed', []],
  ['@ada '.repeat(20), [image], 'feed', []],
  ['@ada '.repeat(21), [image], 'feed', ['problem']],
  ['ada@example.test '.repeat(21), [image], 'feed', []],
  ['', many(10), 'feed', []],
  ['', [...many(5), ...many(6, video)], 'feed', ['problem']],
  ['', [video], 'feed', []],
  ['', [{ ...image, altText: 'a'.repeat(1_000) }], 'feed', []],
  ['', [{ ...image, altText: 'a'.repeat(1_001) }], 'feed', ['problem']],
  ['', [{ ...video, altText: 'a'.repeat(1_001) }], 'feed', []],
  ['a'.repeat(3_000), [video], 'story', []],
  ['', [], 'story', ['incomplete']],
  ['', [image, image], 'story', ['problem']],
])('%.12s with %j as %s', (text, media, placement, codes) => {
  expect(judge(text, media, placement).map(({ code }) => code)).toEqual(codes);
});

test('messages name the Network and the numbers', () => {
  expect(judge('#a '.repeat(31), [image])[0]?.message).toBe(
    'Instagram takes at most 30 hashtags in a post; this one has 31.',
  );
});
