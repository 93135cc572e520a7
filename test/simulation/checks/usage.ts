import { monthOf } from '#domain/plan/month.ts';
import type { Check } from '../aftermath.ts';
import { allSuccessors } from './replaced-posts.ts';

/**
 * Every Post counts once in the month in which it was written; one in the place of another counts as that one did. A
 * run has two months at most.
 */
export const usageCounts: Check = (after) => {
  const successors = allSuccessors(after);
  return [...after.heads].flatMap(([id, { state }]) => {
    const counted = (after.posts.get(id) ?? []).filter((post) => !successors.has(post));
    const written = counted.filter(({ createdAt }) => monthOf(createdAt) === state.usage.month).length;
    const former = counted.filter(({ createdAt }) => monthOf(createdAt) < state.usage.month).length;
    if (state.usage.posts === written && state.usage.previousPosts === former) return [];
    return [
      {
        check: 'usage counts',
        detail: `workspace ${id} counts ${state.usage.posts} Posts in ${state.usage.month} and ${state.usage.previousPosts} before; ${written} and ${former} are there`,
        about: [id],
      },
    ];
  });
};
