import { expect, test } from 'vitest';
import { copyOf, type DraftOfPostOptions, type PostDraft, type ShownPost } from './draft-of-post.ts';

const written = {
  text: 'Tea',
  channelIds: ['page', 'x'],
  channelOptions: { page: { placement: 'feed_and_story', text: 'Own' }, x: { madeWithAi: true } },
  media: [],
} as unknown as PostDraft;
const options = (page: { readonly feed: string; readonly story: string }): DraftOfPostOptions => ({
  id: 'd',
  timeZone: 'UTC',
  shown: {
    variants: [
      { channelId: 'page', placement: 'feed', status: page.feed },
      { channelId: 'page', placement: 'story', status: page.story },
      { channelId: 'x', placement: 'feed', status: 'published' },
    ],
  } as unknown as ShownPost,
});

test('written again for the Channel where it failed, a Post goes to no Channel where it is live', () => {
  const { draft } = copyOf(written, options({ feed: 'failed', story: 'failed' }), 'page');
  expect([draft.channelIds, draft.options]).toEqual([['page'], { page: { placement: 'feed_and_story', text: 'Own' } }]);
});

test.each([
  [{ feed: 'failed', story: 'published' }, { text: 'Own' }],
  [
    { feed: 'published', story: 'failed' },
    { text: 'Own', placement: 'story' },
  ],
])('nor to a placement of the Channel where it is live: %j', (page, own) => {
  expect(copyOf(written, options(page), 'page').draft.options).toEqual({ page: own });
});

test('a copy of the whole Post goes to all of its Channels', () => {
  const { draft } = copyOf(written, options({ feed: 'failed', story: 'published' }), null);
  expect([draft.channelIds, draft.options]).toEqual([['page', 'x'], written.channelOptions]);
});
