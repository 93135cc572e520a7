import type { Check } from '../aftermath.ts';
import { everyVariantsOwnCalls } from './own-calls.ts';

/**
 * After a call that may have published, and whose answer did not say, the Network is asked before the next one: both
 * Networks of these worlds can be.
 */
export const askedBeforeAgain: Check = (after) =>
  everyVariantsOwnCalls(after).flatMap(({ post, variant, calls }) => {
    const sends = calls.filter(({ kind }) => kind === 'publish');
    return sends.slice(1).flatMap((again, index) => {
      const before = sends[index]!;
      if (before.came === 'failed') return [];
      const asked = calls.some(
        ({ kind, at, came }) =>
          kind === 'reconcile' && at >= before.at && at <= again.at && came !== null && came !== 'processing',
      );
      if (asked) return [];
      const detail = `variant ${variant.id} was sent ${again.at - before.at} ms after a call that came to ${before.came}, and nothing asked`;
      return [{ check: 'asked before sent again', detail, about: [post.id.slice(0, -2)] }];
    });
  });
