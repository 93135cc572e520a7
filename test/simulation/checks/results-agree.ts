import { isDeepStrictEqual } from 'node:util';
import { everyVariant, type Check, type Violation } from '../aftermath.ts';

/**
 * The results that callers got are true: a cancelled Variant is cancelled, a retried one was tried again, a refused
 * Post does not exist.
 */
export const resultsAgree: Check = (after) => {
  const violations: Violation[] = [];
  const variants = everyVariant(after);
  const complain = (detail: string, about: readonly string[]): void =>
    void violations.push({ check: 'results agree with state', detail, about });
  for (const { seen, postId } of after.history.of('cancel')) {
    if (seen === 'ok' && !variants.some(({ post, variant }) => post.id === postId && variant.status === 'cancelled')) {
      complain(`the cancel of post ${postId} was acknowledged; nothing of it is cancelled`, [postId.slice(0, -2)]);
    }
  }
  for (const { seen, postId, variantId } of after.history.of('retry')) {
    const variant = variants.find((each) => each.variant.id === variantId)?.variant;
    if (seen === 'ok' && (variant === undefined || variant.attempt < 2))
      complain(`the retry of ${variantId} was acknowledged and never made`, [postId.slice(0, -2)]);
  }
  const created = after.history.of('create');
  for (const text of new Set(created.map((entry) => entry.text))) {
    const asked = created.filter((entry) => entry.text === text);
    const made = variants.find(({ post }) => post.text === text);
    if (made !== undefined && asked.every(({ seen }) => seen === 'refused'))
      complain(`"${text}" was refused each time, but exists`, [text]);
  }
  return violations;
};

/** One request id has one result, however often and at whichever ingress it is sent. */
export const repeatedRequestsAgree: Check = ({ history }) =>
  history.of('repeated').flatMap(({ requestId, results }) => {
    const definite = results.filter((result) => result.ok || result.code !== 'outcome_unknown');
    if (definite.every((result) => isDeepStrictEqual(result, definite[0]))) return [];
    return [
      {
        check: 'repeated requests agree',
        detail: `request ${requestId} came to ${JSON.stringify(definite)}`,
        about: [requestId],
      },
    ];
  });
