import { expect, test } from 'vitest';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
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
  tiktokLimits.judge({ text, placement, media, channel, options: { privacy: 'public' } });
const judgeOptions = (options: ChannelOptions, media: readonly DraftFile[] = [video]) =>
  tiktokLimits.judge({ text: 'hi', placement: 'feed', media, channel, options });
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

test('without a choice of who may see it a post is incomplete, in words that say where to choose', () => {
  for (const media of [[video], [image], [unknown]])
    expect(judgeOptions({}, media)).toEqual([
      {
        ...{ code: 'incomplete', part: 'privacy' },
        message: expect.stringMatching(/channelOptions\.\{id\}\.privacy.*defaults of the Channel/),
      },
    ]);
});

test.each<[string, ChannelOptions, readonly DraftFile[], RegExp | null]>([
  ['any other choice', { privacy: 'friends', allowComments: true, ownBrand: true, aiGenerated: true }, [video], null],
  ['an own brand that only its author sees', { privacy: 'only_me', ownBrand: true }, [video], null],
  ['a brand that the followers see', { privacy: 'followers', brandedContent: true }, [image], null],
  [
    'a brand that only its author sees',
    { privacy: 'only_me', brandedContent: true },
    [video],
    /brandedContent.*only_me/,
  ],
  ['pictures that AI made', { privacy: 'public', aiGenerated: true }, [image], /label.*videos only.*aiGenerated/],
  ['a file not known yet that AI made', { privacy: 'public', aiGenerated: true }, [unknown], null],
  ['a title of pictures', { privacy: 'public', title: 'a'.repeat(90) }, [image], null],
  ['a title that is too long', { privacy: 'public', title: 'a'.repeat(91) }, [image], /91 of at most 90/],
  ['a title in UTF-16 units', { privacy: 'public', title: '😀'.repeat(46) }, [image], /92 of at most 90/],
  ['a title of a video', { privacy: 'public', title: 'T' }, [video], /titles for pictures only/],
  ['a title of a file not known yet', { privacy: 'public', title: 'T' }, [unknown], null],
  ['an empty title of a video', { privacy: 'public', title: '' }, [video], null],
])('%s', (_name, options, media, words) => {
  expect(judgeOptions(options, media)).toMatchObject(
    words === null ? [] : [{ code: 'problem', message: expect.stringMatching(words) }],
  );
});

test('a brand without a privacy is asked for the privacy only', () => {
  expect(judgeOptions({ brandedContent: true }).map(({ code }) => code)).toEqual(['incomplete']);
});
