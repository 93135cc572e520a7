import { monthOf } from '#domain/plan/month.ts';
import type { Check } from '../aftermath.ts';

/** Every Post counts once in the month in which it was written. */
export const usageCounts: Check = ({ heads, posts }) =>
  [...heads].flatMap(([id, { state }]) => {
    const written = (posts.get(id) ?? []).filter(({ createdAt }) => monthOf(createdAt) === state.usage.month).length;
    if (state.usage.posts === written) return [];
    return [
      {
        check: 'usage counts',
        detail: `workspace ${id} counts ${state.usage.posts} Posts in ${state.usage.month}; ${written} are there`,
        about: [id],
      },
    ];
  });
