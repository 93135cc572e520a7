import { expect, test } from 'vitest';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
import { tiktokLimits } from './limits.ts';

const image: DraftFile = { kind: 'image', contentType: 'image/png', bytes: 1_000, altText: 'a cat' };
const video: DraftFile = { ...image, kind: 'video', contentType: 'video/quicktime' };
const unknown: DraftFile = { ...image, kind: null, contentType: '', bytes: null };
const channel = {
  id: 'c',
  network: 'tiktok',
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
const judge = (text: string, media: readonly DraftFile[], placement: Draft['placement'] = 'feed') =>
  tiktokLimits.judge({ text, placement, media, channel, options: {} });
const many = (count: number) => Array.from({ length: count }, () => image);

test.each<[string, string, readonly DraftFile[], Draft['placement'], readonly string[]]>([
  ['a text alone', 'hi', [], 'feed', ['incomplete']],
  ['nothing', '', [], 'feed', ['incomplete']],
  ['a video', '', [video], 'feed', []],
  ['a photo', '', [image], 'feed', []],
  ['35 photos', '', many(35), 'feed', []],
  ['36 photos', '', many(36), 'feed', ['problem']],
  ['two videos', '', [video, video], 'feed', ['problem']],
  ['a mix', '', [image, video], 'feed', ['problem']],
  ['a file not known yet', '', [unknown], 'feed', []],
  ['a file not known yet beside a video', '', [video, unknown], 'feed', ['problem']],
  ['a text of 2,200 with a video', 'a'.repeat(2_200), [video], 'feed', []],
  ['a text of 2,201 with a video', 'a'.repeat(2_201), [video], 'feed', ['problem']],
  ['a text in UTF-16 units', '😀'.repeat(1_101), [video], 'feed', ['problem']],
  ['a text of 4,000 with photos', 'a'.repeat(4_000), [image], 'feed', []],
  ['a text of 4,001 with photos', 'a'.repeat(4_001), [image], 'feed', ['problem']],
  ['a text of 4,000 with a file not known yet', 'a'.repeat(4_000), [unknown], 'feed', []],
  ['a Story', '', [video], 'story', ['problem']],
])('%s', (_name, text, media, placement, codes) => {
  expect(judge(text, media, placement).map(({ code }) => code)).toEqual(codes);
});

test('messages name the numbers', () => {
  expect(judge('a'.repeat(2_300), [video]).map(({ message }) => message)).toEqual([
    'The text is too long for TikTok: 2300 of at most 2200 characters with a video.',
  ]);
});
