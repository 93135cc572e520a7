import { expect, test } from 'vitest';
import type { DraftFile } from '#domain/post/draft.ts';
import { threadsLimits } from './limits.ts';

const image: DraftFile = { kind: 'image', contentType: 'image/jpeg', bytes: 1_000, altText: '' };
const video: DraftFile = { ...image, kind: 'video', contentType: 'video/mp4' };
const channel = {
  id: 'c',
  network: 'threads',
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
const judge = (text: string, media: readonly DraftFile[]) =>
  threadsLimits.judge({ text, placement: 'feed', media, channel, options: {} });
const many = (count: number, file = image) => Array.from({ length: count }, () => file);

test.each<[string, readonly DraftFile[], readonly string[]]>([
  ['', [], ['incomplete']],
  ['', [image], []],
  ['', [...many(10), ...many(10, video)], []],
  ['', many(21), ['problem']],
  ['a'.repeat(500), [image], []],
  ['a'.repeat(501), [image], ['problem']],
  ['a'.repeat(501), many(21), ['problem', 'problem']],
  ['', [{ ...image, altText: 'a'.repeat(1_000) }], []],
  ['', [{ ...image, altText: 'a'.repeat(1_001) }], ['problem']],
  ['', [{ ...video, altText: 'a'.repeat(1_001) }], ['problem']],
  ['', [{ ...video, durationMs: 300_000 }], []],
  ['', [image, { ...video, durationMs: 300_001 }], ['problem']],
  ['', [{ ...video, durationMs: null }], []],
])('%.12s with %j', (text, media, codes) => {
  expect(judge(text, media).map(({ code }) => code)).toEqual(codes);
});

test('messages name the Network and the numbers', () => {
  expect(judge('', [{ ...video, durationMs: 300_001 }])[0]?.message).toBe(
    'The video is too long for Threads: 301 of at most 300 seconds.',
  );
  expect(judge('', many(21))[0]?.message).toBe(
    'Threads takes at most 20 pictures and videos in a post; this one has 21.',
  );
});
