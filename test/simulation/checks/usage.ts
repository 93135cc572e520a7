import { monthOf } from '#domain/plan/month.ts';
import type { Check } from '../aftermath.ts';

/** Every Post counts once in the month in which it was written; a run has two months at most. */
export const usageCounts: Check = ({ heads, posts }) =>
  [...heads].flatMap(([id, { state }]) => {
    const written = (posts.get(id) ?? []).filter(({ createdAt }) => monthOf(createdAt) === state.usage.month).length;
    const former = (posts.get(id) ?? []).filter(({ createdAt }) => monthOf(createdAt) < state.usage.month).length;
    if (state.usage.posts === written && state.usage.previousPosts === former) return [];
    return [
      {
        check: 'usage counts',
        detail: `workspace ${id} counts ${state.usage.posts} Posts in ${state.usage.month} and ${state.usage.previousPosts} before; ${written} and ${former} are there`,
        about: [id],
      },
    ];
  });
