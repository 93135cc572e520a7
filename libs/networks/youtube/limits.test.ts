import { expect, test } from 'vitest';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
import { youtubeLimits } from './limits.ts';

const video: DraftFile = { kind: 'video', contentType: 'video/mp4', bytes: 1_000, altText: '' };
const image: DraftFile = { ...video, kind: 'image', contentType: 'image/png', altText: 'a cat' };
const unknown: DraftFile = { ...video, kind: null, contentType: '', bytes: null };
const channel = {
  id: 'c',
  network: 'youtube',
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
const judge = (
  text: string,
  media: readonly DraftFile[],
  options: ChannelOptions = {},
  placement: Draft['placement'] = 'feed',
) => youtubeLimits.judge({ text, placement, media, channel, options });
const titled = (title: string): ChannelOptions => ({ youtube: { title } });

test.each<[string, string, readonly DraftFile[], ChannelOptions, Draft['placement'], readonly string[]]>([
  ['a video and a text', 'hi', [video], {}, 'feed', []],
  ['a video and a title', '', [video], titled('hi'), 'feed', []],
  ['a video alone', '', [video], {}, 'feed', ['incomplete']],
  ['a video and a title of spaces', '', [video], titled(' '), 'feed', ['incomplete']],
  ['a video and a text of spaces', ' \n', [video], {}, 'feed', ['incomplete']],
  ['a text alone', 'hi', [], {}, 'feed', ['incomplete']],
  ['nothing', '', [], {}, 'feed', ['incomplete', 'incomplete']],
  ['a picture', 'hi', [image], {}, 'feed', ['problem']],
  ['a video and a picture', 'hi', [video, image], {}, 'feed', ['problem']],
  ['two videos', 'hi', [video, video], {}, 'feed', ['problem']],
  ['two videos and a picture', 'hi', [video, image, video], {}, 'feed', ['problem', 'problem']],
  ['a file not known yet', 'hi', [unknown], {}, 'feed', []],
  ['a file not known yet beside a video', 'hi', [video, unknown], {}, 'feed', ['problem']],
  ['a title of 100 characters', '', [video], titled('😀'.repeat(100)), 'feed', []],
  ['a title of 101 characters', '', [video], titled('a'.repeat(101)), 'feed', ['problem']],
  ['a title with an angle bracket', '', [video], titled('I <3 it'), 'feed', ['problem']],
  ['a first sentence of 101 characters', 'a'.repeat(101), [video], {}, 'feed', []],
  ['a text of 5,000 bytes', 'é'.repeat(2_500), [video], {}, 'feed', []],
  ['a text of 5,001 bytes', `${'é'.repeat(2_500)}a`, [video], {}, 'feed', ['problem']],
  ['a text with an angle bracket', 'a -> b', [video], {}, 'feed', ['problem']],
  ['a text of angle brackets', '<>', [video], {}, 'feed', ['problem']],
  [
    'everything wrong',
    `${'a'.repeat(5_001)}>`,
    [image, image],
    titled('>'.repeat(101)),
    'feed',
    ['problem', 'problem', 'problem', 'problem', 'problem'],
  ],
  ['a Story', 'hi', [video], {}, 'story', ['problem']],
])('%s', (_name, text, media, options, placement, codes) => {
  expect(judge(text, media, options, placement).map(({ code }) => code)).toEqual(codes);
});

test('messages name the numbers', () => {
  const messages = judge('é'.repeat(2_501), [image, image, video, video], titled('a'.repeat(120))).map(
    ({ message }) => message,
  );
  expect(messages).toEqual([
    'YouTube takes one video and no pictures; this post has 2 pictures.',
    'YouTube takes one video in a post; this one has 2.',
    'The title is too long for YouTube: 120 of at most 100 characters.',
    'The text is too long for YouTube: 5002 of at most 5000 bytes, and letters such as é or 見 count as several.',
  ]);
});

test.each<[string, ChannelOptions, readonly string[]]>([
  ['a title by either name', { title: 'hi' }, []],
  ['both titles alike', { title: 'hi', youtube: { title: 'hi' } }, []],
  ['a long title', { title: 'a'.repeat(101) }, ['The title is too long for YouTube: 101 of at most 100 characters.']],
  ['tags of 500 characters', { tags: ['a'.repeat(249), 'b'.repeat(250)] }, []],
  [
    'tags of 501 characters, with the comma between them',
    { tags: ['a'.repeat(250), 'b'.repeat(250)] },
    [
      'The tags are too long for YouTube: 501 of at most 500 characters together, and a tag with a space counts two more.',
    ],
  ],
  ['a tag with a space that just fits', { tags: [`${'a'.repeat(248)} ${'b'.repeat(249)}`] }, []],
  [
    'a tag with a space that fits only without quotation marks',
    { tags: [`${'a'.repeat(249)} ${'b'.repeat(249)}`] },
    [
      'The tags are too long for YouTube: 501 of at most 500 characters together, and a tag with a space counts two more.',
    ],
  ],
  ['a tag with an angle bracket', { tags: ['<3'] }, ['YouTube takes no < or > in a tag.']],
  ['a category', { categoryId: '22' }, []],
  [
    'a category by its name',
    { categoryId: 'Music' },
    ['A category on YouTube is a number, such as 22 for "People & Blogs".'],
  ],
  ['a first comment', { firstComment: '見'.repeat(10_000) }, []],
  [
    'a long first comment',
    { firstComment: 'a'.repeat(10_001) },
    ['The first comment is too long for YouTube: 10001 of at most 10000 characters.'],
  ],
  [
    'a first comment for kids',
    { firstComment: 'hi', madeForKids: true },
    ['YouTube has no comments below videos that are made for kids.'],
  ],
  [
    'a first comment below what only its owner sees',
    { firstComment: 'hi', privacy: 'private' },
    ['YouTube has no comments below private videos.'],
  ],
])('options: %s', (_name, options, messages) => {
  expect(judge('hi', [video], options).map(({ message }) => message)).toEqual(messages);
});
