import { expect, test } from 'vitest';
import type { Post } from '#domain/post/post.ts';
import type { ApiCall } from './caller.ts';
import { listCalendar } from './list-calendar.ts';

const wordsOf = async (text: string): Promise<string> => {
  const post = { id: 'p', text, createdAt: 1, scheduledAt: null, via: null, media: [], variants: [] } as Partial<Post>;
  const posts = { list: async () => ({ posts: [post as Post], more: false }) };
  const call = { workspaceId: 'w', signal: new AbortController().signal } as ApiCall;
  const result = await listCalendar(call, { from: 0, to: 2 }, { posts, mediaUrl: String });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value.cards[0]!.words;
};

test('a card has the first 120 characters of a text, and no half of one', async () => {
  expect(await wordsOf('short 🎉')).toBe('short 🎉');
  expect(await wordsOf('a'.repeat(500))).toBe('a'.repeat(120));
  expect(await wordsOf('🎉'.repeat(500))).toBe('🎉'.repeat(120));
  expect(await wordsOf(`${'a'.repeat(119)}🎉b`)).toBe(`${'a'.repeat(119)}🎉`);
  expect(await wordsOf(`${'a'.repeat(120)}🎉`)).toBe('a'.repeat(120));
});
