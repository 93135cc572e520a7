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
const judge = (
  text: string,
  media: readonly DraftFile[],
  placement: Draft['placement'] = 'feed',
  options: Draft['options'] = {},
) => instagramLimits.judge({ text, placement, media, channel, options });
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

const ada = { username: 'ada', x: 0, y: 0 };
const film = { ...video, durationMs: 10_000 };
test.each<[string, Draft['options'], readonly DraftFile[], Draft['placement'], RegExp | null]>([
  ['three collaborators', { collaborators: ['a', 'b', 'c'] }, [image], 'feed', null],
  ['four collaborators', { collaborators: ['a', 'b', 'c', 'd'] }, [image], 'feed', /at most 3 collaborators.* 4/],
  ['a collaborator of a Story', { collaborators: ['a'] }, [image], 'story', /Story .*collaborators/],
  [
    'a collaborator of a post with a Story beside it',
    { collaborators: ['a'], placement: 'feed_and_story' },
    [image],
    'story',
    null,
  ],
  ['twenty marked accounts', { userTags: Array.from({ length: 20 }, () => ada) }, [image], 'feed', null],
  [
    'too many marked accounts',
    { userTags: Array.from({ length: 21 }, () => ada) },
    [image],
    'feed',
    /at most 20 .* 21/,
  ],
  ['accounts named in a reel', { userTags: [ada] }, [video], 'feed', null],
  ['accounts marked in a Story', { userTags: [ada] }, [image], 'story', null],
  ['a cover of a reel', { cover: { atSeconds: 10 } }, [film], 'feed', null],
  ['a cover of a video whose length is not known', { cover: { atSeconds: 99 } }, [video], 'feed', null],
  ['a cover of what is not known yet', { cover: { atSeconds: 99 } }, [{ ...image, kind: null }], 'feed', null],
  ['a cover of a picture, which every Network refuses alike', { cover: { atSeconds: 1 } }, [image], 'feed', null],
  ['a cover after the end, which every Network refuses alike', { cover: { atSeconds: 10.1 } }, [film], 'feed', null],
  ['a cover of pictures alone, too', { cover: { atSeconds: 1 } }, [image, image], 'feed', null],
  ['a cover of a carousel with a picture', { cover: { assetId: 'a' } }, [image, video], 'feed', /cover .*one video/],
  ['a cover of a carousel', { cover: { assetId: 'a' } }, [video, video], 'feed', /cover .*one video/],
  ['a comment that fits', { firstComment: 'a'.repeat(2_200) }, [image], 'feed', null],
  [
    'a comment that is too long',
    { firstComment: 'a'.repeat(2_201) },
    [image],
    'feed',
    /first comment .* 2201 of .* 2200/,
  ],
  ['a comment of hashtags', { firstComment: '#a '.repeat(31) }, [image], 'feed', /30 hashtags in a comment/],
  ['a comment of mentions', { firstComment: '@a '.repeat(21) }, [image], 'feed', /20 mentions .*in a comment/],
])('%s', (_name, options, media, placement, expected) => {
  const messages = judge('', media, placement, options).map(({ message }) => message);
  expect(messages).toEqual(expected === null ? [] : [expect.stringMatching(expected)]);
});

test('messages name the Network and the numbers', () => {
  expect(judge('#a '.repeat(31), [image])[0]?.message).toBe(
    'Instagram takes at most 30 hashtags in a post; this one has 31.',
  );
});
