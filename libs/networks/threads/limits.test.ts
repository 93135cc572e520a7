import { expect, test } from 'vitest';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
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
const judge = (text: string, media: readonly DraftFile[], options: Draft['options'] = {}) =>
  threadsLimits.judge({ text, placement: 'feed', media, channel, options });
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

const links = (count: number) => Array.from({ length: count }, (_, index) => `https://a.test/${index}`).join(' ');
test.each<[string, Draft['options'], RegExp | null]>([
  ['a topic', { topicTag: 'Cats and dogs' }, null],
  ['a topic of 50 characters', { topicTag: '見'.repeat(50) }, null],
  ['a topic of 51 characters', { topicTag: 'a'.repeat(51) }, /topic is too long.* 51 of at most 50/],
  ['a topic of nothing', { topicTag: ' ' }, /topic .*empty/],
  ['a topic with a full stop', { topicTag: 'a.b' }, /topic .*full stop/],
  ['a topic with an ampersand', { topicTag: 'Q&A' }, /topic .*&/],
  ['a comment that fits', { firstComment: 'a'.repeat(500) }, null],
  ['a comment that is too long', { firstComment: 'a'.repeat(501) }, /first comment is too long .* 501 of at most 500/],
  ['a comment of emoji', { firstComment: '😀'.repeat(126) }, /first comment is too long/],
  ['a comment of five links', { firstComment: links(5) }, null],
  ['a comment of six links', { firstComment: links(6) }, /5 different links in a comment/],
])('%s', (_name, options, expected) => {
  const messages = judge('hi', [], options).map(({ message }) => message);
  expect(messages).toEqual(expected === null ? [] : [expect.stringMatching(expected)]);
});

test('messages name the Network and the numbers', () => {
  expect(judge('', [{ ...video, durationMs: 300_001 }])[0]?.message).toBe(
    'The video is too long for Threads: 301 of at most 300 seconds.',
  );
  expect(judge('', many(21))[0]?.message).toBe(
    'Threads takes at most 20 pictures and videos in a post; this one has 21.',
  );
});
