import { expect, test } from 'vitest';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
import { facebookLimits } from './limits.ts';

const image: DraftFile = { kind: 'image', contentType: 'image/jpeg', bytes: 1_000, altText: '' };
const video: DraftFile = { ...image, kind: 'video', contentType: 'video/mp4' };
const unknown: DraftFile = { ...image, kind: null, contentType: '', bytes: null };
const channel = {
  id: 'c',
  network: 'facebook',
  name: 'n',
  avatarUrl: null,
  accountId: '1',
  kind: 'page',
  state: 'connected',
  connectedAt: 0,
  seenAt: 0,
  disconnects: 0,
  lastDisconnect: null,
} as const;
const judge = (text: string, media: readonly DraftFile[], placement: Draft['placement'] = 'feed') =>
  facebookLimits.judge({ text, placement, media, channel, options: {} }).map(({ code }) => code);
const many = (count: number, file = image) => Array.from({ length: count }, () => file);

test.each<[string, readonly DraftFile[], Draft['placement'], readonly string[]]>([
  ['hi', [], 'feed', []],
  [' ', [], 'feed', ['incomplete']],
  ['a'.repeat(63_206), [], 'feed', []],
  ['😀'.repeat(31_604), [], 'feed', ['problem']],
  ['', many(10), 'feed', []],
  ['', many(11), 'feed', ['problem']],
  ['', [video], 'feed', []],
  ['', [video, video], 'feed', ['problem']],
  ['', [image, video], 'feed', ['problem']],
  ['', [unknown], 'feed', []],
  ['', [{ ...image, altText: 'a'.repeat(1_001) }], 'feed', ['problem']],
  ['', [image], 'story', []],
  ['', [video], 'story', []],
  ['', [], 'story', ['incomplete']],
  ['', [image, image], 'story', ['problem']],
])('%.10s with %j as %s', (text, media, placement, codes) => {
  expect(judge(text, media, placement)).toEqual(codes);
});

test.each<[string | undefined, readonly string[]]>([
  [undefined, []],
  ['First', []],
  ['a'.repeat(8_000), []],
  ['a'.repeat(8_001), ['The first comment is too long for Facebook: 8001 of at most 8000 characters.']],
])('the first comment %.10s', (firstComment, messages) => {
  const options = firstComment === undefined ? {} : { firstComment };
  const draft = { text: 'hi', placement: 'feed', media: [], channel, options } as const;
  expect(facebookLimits.judge(draft).map(({ message }) => message)).toEqual(messages);
});
