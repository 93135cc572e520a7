import { expect, test } from 'vitest';
import { PresentPosts, spanOf, type MadePost } from './present-posts.ts';
import type { CsvPost } from './read-row.ts';

const AT = '2026-12-01T09:00:00Z';
const row: CsvPost = {
  text: 'Tea',
  channelIds: ['b', 'a'],
  scheduledAt: AT,
  media: [{ url: 'https://a.test/1.jpg' }],
  channelOptions: {},
  idempotencyKey: 'k',
};
const variant = { placement: 'feed', status: 'published', scheduledAt: '2026-12-01T09:00:00.000Z', text: null };
const made = (variants: readonly object[], post: object = {}): MadePost => ({
  id: 'p',
  text: 'Tea',
  media: [{}],
  ...post,
  variants: variants.map((each, index) => ({ channelId: ['a', 'b'][index % 2]!, ...variant, ...each })),
});

function presentOf(...posts: readonly MadePost[]): PresentPosts {
  const present = new PresentPosts();
  for (const post of posts) present.add(post);
  return present;
}

function idOf(of: CsvPost, post: MadePost): string | null {
  return presentOf(post).idOf(of);
}

test('a row is found again by its text, Channels, time and number of files', () => {
  expect(idOf(row, made([{}, {}]))).toBe('p');
  expect(idOf({ ...row, text: 'Coffee' }, made([{}, {}]))).toBeNull();
  expect(idOf({ ...row, channelIds: ['a'] }, made([{}, {}]))).toBeNull();
  expect(idOf({ ...row, scheduledAt: '2026-12-01T09:00:01Z' }, made([{}, {}]))).toBeNull();
  expect(idOf({ ...row, media: [] }, made([{}, {}]))).toBeNull();
});

test('a row for the Story is not taken for the Post of another row that went to the feed', () => {
  const story = { ...row, channelIds: ['a'], channelOptions: { a: { placement: 'story' } } };
  expect(idOf(story, made([{}]))).toBeNull();
  expect(idOf(story, made([{ placement: 'story' }]))).toBe('p');
  const both = { ...story, channelOptions: { a: { placement: 'feed_and_story', text: 'Own' } } };
  const inBoth = made([{ text: 'Own' }, { channelId: 'a', placement: 'story' }]);
  expect([idOf(both, inBoth), idOf(story, inBoth)]).toEqual(['p', null]);
});

test('rows that differ in the text of a Channel alone are different Posts', () => {
  const own = { ...row, text: '', channelOptions: { a: { text: 'For a' } } };
  expect(idOf(own, made([{ text: 'Another for a' }, {}], { text: '' }))).toBeNull();
  expect(idOf(own, made([{ text: 'For a' }, {}], { text: '' }))).toBe('p');
});

test('a Post that was cancelled as a whole is not there, but was; one of which a part goes out is there', () => {
  const cancelled = { status: 'cancelled' };
  const [whole, part] = [presentOf(made([cancelled, cancelled])), presentOf(made([cancelled, {}]))];
  expect([whole.idOf(row), whole.wasCancelled(row)]).toEqual([null, true]);
  expect([part.idOf(row), part.wasCancelled(row)]).toEqual(['p', false]);
  expect(whole.wasCancelled({ ...row, text: 'Coffee' })).toBe(false);
  const { scheduledAt: _, ...bare } = row;
  expect(whole.wasCancelled(bare)).toBe(false);
});

test('of a Post that was cancelled and one like it that is there, the one that is there counts', () => {
  const [gone, there] = [made([{ status: 'cancelled' }, { status: 'cancelled' }]), made([{}, {}], { id: 'there' })];
  for (const both of [presentOf(gone, there), presentOf(there, gone)])
    expect([both.idOf(row), both.wasCancelled(row)]).toEqual(['there', false]);
});

test('the span has the first and the last time in it, and rows without a time have none', () => {
  const { scheduledAt: _, ...bare } = row;
  expect([spanOf([bare]), idOf(bare, made([{}, {}]))]).toEqual([null, null]);
  expect(spanOf([row, bare, { ...row, scheduledAt: '2026-12-24T00:00:00Z' }])).toEqual({
    from: '2026-12-01T09:00:00.000Z',
    to: '2026-12-24T00:00:00.001Z',
  });
});
