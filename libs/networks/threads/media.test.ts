import { expect, test } from 'vitest';
import { publicationOf, renditionOf } from '#testing/publication.ts';
import { scriptedNetwork } from '#testing/scripted-network.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import { childFields, containerFields } from './media.ts';

const image = renditionOf(new Uint8Array(10), { kind: 'image', contentType: 'image/jpeg', sha256: 'a' });
const given = (count: number, options: NetworkOptions) =>
  publicationOf({ http: scriptedNetwork().http, media: Array.from({ length: count }, () => image), options });

test.each<[string, number]>([
  ['a text', 0],
  ['a picture', 1],
  ['a carousel', 2],
])('%s carries its topic and who may reply', (_name, count) => {
  const options: NetworkOptions = { topicTag: 'Cats of 見て', replyControl: 'followed' };
  expect(containerFields(given(count, options), ['k1', 'k2'])).toMatchObject({
    ...{ topic_tag: 'Cats of 見て', reply_control: 'accounts_you_follow' },
  });
});

test.each<[NonNullable<NetworkOptions['replyControl']>, string]>([
  ['everyone', 'everyone'],
  ['followed', 'accounts_you_follow'],
  ['mentioned', 'mentioned_only'],
])('replies by %s are asked for in the words of Threads', (replyControl, said) => {
  expect(containerFields(given(0, { replyControl }), [])).toMatchObject({ reply_control: said });
});

test('without options nothing is asked for, and the parts of a carousel have none', () => {
  expect(containerFields(given(0, {}), [])).toEqual({ media_type: 'TEXT', text: 'Hello' });
  expect(Object.keys(childFields(image))).toEqual(['media_type', 'image_url', 'is_carousel_item']);
});
