import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestInput, digestOf, type PostIdentity } from './digest.ts';

const post: PostIdentity = {
  text: 'Hello',
  channelIds: ['a', 'b'],
  scheduledAt: 1,
  media: [{ assetId: '1' }, { assetId: '2' }],
  channelOptions: {},
};

it.each<[string, Partial<PostIdentity>]>([
  ['Channels in another order', { channelIds: ['b', 'a'] }],
  ['a default said aloud', { channelOptions: { a: { placement: 'feed' }, b: { youtube: {} } } }],
])('%s is the same Post', (_, fields) => {
  expect(digestOf({ ...post, ...fields })).toBe(digestOf(post));
});

it.each<[string, Partial<PostIdentity>]>([
  ['a space more', { text: 'Hello ' }],
  ['a Channel less', { channelIds: ['a'] }],
  ['another instant', { scheduledAt: 2 }],
  ['no instant', { scheduledAt: null }],
  ['media in another order', { media: [{ assetId: '2' }, { assetId: '1' }] }],
  ['an address in place of an upload', { media: [{ url: '1' }, { assetId: '2' }] }],
  ['an alternative text', { media: [{ assetId: '1', altText: 'a' }, { assetId: '2' }] }],
  ['another placement', { channelOptions: { a: { placement: 'story' } } }],
  ['a title', { channelOptions: { a: { youtube: { title: 't' } } } }],
  ['the title of another Channel', { channelOptions: { b: { youtube: { title: 't' } } } }],
])('%s is another Post', (_, fields) => {
  const others = [post, { ...post, channelOptions: { a: { youtube: { title: 't' } } } }].filter(
    (other) => JSON.stringify(other) !== JSON.stringify({ ...post, ...fields }),
  );
  for (const other of others) expect(digestOf({ ...post, ...fields })).not.toBe(digestOf(other));
});

it('options count the same whatever order they were sent in', () => {
  const options = { a: { placement: 'story' }, b: { youtube: { title: 't' } } } as const;
  expect(digestInput({ ...post, channelOptions: { b: options.b, a: options.a } })).toBe(
    digestInput({ ...post, channelOptions: options }),
  );
});

it('no text can be written so that it looks like another Post', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.array(fc.string()),
      fc.array(fc.string()),
      (one, other, channels, others) => {
        const same =
          one === other &&
          JSON.stringify([...new Set(channels)].sort()) === JSON.stringify([...new Set(others)].sort());
        expect(
          digestInput({ ...post, text: one, channelIds: channels }) ===
            digestInput({ ...post, text: other, channelIds: others }),
        ).toBe(same);
      },
    ),
  );
});
