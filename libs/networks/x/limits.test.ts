import { expect, test } from 'vitest';
import type { DraftFile } from '#domain/post/draft.ts';
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
const judge = (text: string, media: readonly DraftFile[], kind = '') =>
  xLimits.judge({ text, placement: 'feed', media, channel: { ...channel, kind }, options: {} });
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
  ['', [{ ...video, durationMs: 140_000 }], []],
  ['', [{ ...video, durationMs: null }], []],
])('%.12s with %j', (text, media, codes) => {
  expect(judge(text, media).map(({ code }) => code)).toEqual(codes);
});

test('how long a video may be depends on what the account subscribes to', () => {
  const long = [{ ...video, durationMs: 140_001 }];
  expect(judge('', long).map(({ message }) => message)).toEqual([
    'The video is too long for X: 141 of at most 140 seconds without a subscription.',
  ]);
  expect(judge('', long, 'premium')).toEqual([]);
});
