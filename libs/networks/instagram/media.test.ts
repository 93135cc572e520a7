import { expect, test } from 'vitest';
import { publicationOf, renditionOf } from '#testing/publication.ts';
import { scriptedNetwork } from '#testing/scripted-network.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import type { Publication } from '../contract/adapter.ts';
import { childFields, containerFields, problemOf } from './media.ts';

const image = renditionOf(new Uint8Array(10), { kind: 'image', contentType: 'image/jpeg', sha256: 'a' });
const video = renditionOf(new Uint8Array(10), { kind: 'video', contentType: 'video/mp4', sha256: 'v' });
const ada = { username: '@ada', x: 0.25, y: 1 };
const marked = '[{"username":"ada","x":0.25,"y":1}]';
const named = '[{"username":"ada"}]';

function given(media: Publication['media'], options: NetworkOptions, more: Partial<Publication> = {}): Publication {
  return publicationOf({ http: scriptedNetwork().http, text: '', media, options, ...more });
}

test.each<[string, Publication['media'], NetworkOptions, Partial<Publication>, object]>([
  ['collaborators of a picture', [image], { collaborators: ['ada', '@bob'] }, {}, { collaborators: '["ada","bob"]' }],
  ['collaborators of a reel', [video], { collaborators: ['ada'] }, {}, { collaborators: '["ada"]' }],
  ['collaborators of a carousel', [image, video], { collaborators: ['ada'] }, {}, { collaborators: '["ada"]' }],
  ['a reel that is kept out of the feed', [video], { shareToFeed: false }, {}, { share_to_feed: 'false' }],
  ['a reel that is shown in the feed', [video], { shareToFeed: true }, {}, { share_to_feed: 'true' }],
  ['accounts marked in a picture', [image], { userTags: [ada] }, {}, { user_tags: marked }],
  ['accounts named in a reel, which has no places', [video], { userTags: [ada] }, {}, { user_tags: named }],
  ['accounts marked in a Story', [image], { userTags: [ada] }, { placement: 'story' }, { user_tags: marked }],
  [
    'a picture as the cover of a reel',
    [video],
    {},
    { cover: { kind: 'picture', file: image } },
    { cover_url: 'https://media.test/a' },
  ],
  [
    'an instant as the cover of a reel, in milliseconds',
    [video],
    {},
    { cover: { kind: 'instant', atMs: 1500.4 } },
    { thumb_offset: '1500' },
  ],
])('Instagram is asked for %s', (_name, media, options, more, fields) => {
  expect(containerFields(given(media, options, more), ['k1', 'k2'])).toMatchObject(fields);
});

const everything: NetworkOptions = { collaborators: ['ada'], shareToFeed: false, userTags: [ada] };
const cover: Publication['cover'] = { kind: 'instant', atMs: 0 };
test.each<[string, Publication['media'], Partial<Publication>, readonly string[]]>([
  ['a picture', [image], {}, ['collaborators', 'user_tags']],
  ['a reel', [video], {}, ['collaborators', 'user_tags', 'share_to_feed', 'thumb_offset']],
  ['a carousel', [image, video], {}, ['collaborators']],
  ['a Story', [video], { placement: 'story' }, ['user_tags']],
])('%s is sent only the options that it has', (_name, media, more, names) => {
  const sent = Object.keys(containerFields(given(media, everything, { cover, ...more }), ['k1', 'k2']));
  const ours = ['collaborators', 'user_tags', 'share_to_feed', 'cover_url', 'thumb_offset'];
  expect(sent.filter((name) => ours.includes(name)).toSorted()).toEqual([...names].toSorted());
});

test('without options, everything is as it was', () => {
  expect(containerFields(given([image], {}), [])).toEqual({ image_url: 'https://media.test/a' });
  expect(childFields(video, given([image, video], {}))).toEqual({
    ...{ is_carousel_item: 'true', media_type: 'VIDEO', video_url: 'https://media.test/v' },
  });
});

test('accounts are marked in the first picture of a carousel, and in no other part', () => {
  const second = { ...image, url: 'https://media.test/b' };
  const post = given([video, image, second], { userTags: [ada] });
  expect([video, image, second].map((file) => childFields(file, post)['user_tags'])).toEqual([
    undefined,
    marked,
    undefined,
  ]);
  const videos = given([video, { ...video }], { userTags: [ada] });
  expect(childFields(videos.media[0]!, videos)['user_tags']).toBe(named);
});

test('a cover that is too large is refused before it is sent', () => {
  const file = { ...image, bytes: 8_000_001 };
  expect(problemOf(given([video], {}, { cover: { kind: 'picture', file } }))).toMatch(/at most 8 MB.* cover/);
  expect(problemOf(given([video], {}, { cover: { kind: 'picture', file: image } }))).toBeNull();
});
