import type { Check, Violation } from '../aftermath.ts';

/** Under one Idempotency-Key there is one Post: a second request gets it, or is refused if it asks for another. */
export const oneKeyOnePost: Check = ({ history }) => {
  const violations: Violation[] = [];
  const made = new Map<string, { readonly postId: string; readonly text: string }>();
  for (const { idempotencyKey, workspaceId, postId, text, seen } of history.of('create')) {
    if (idempotencyKey === null || seen !== 'ok' || postId === null) continue;
    const name = `${workspaceId} ${idempotencyKey}`;
    const first = made.get(name);
    made.set(name, first ?? { postId, text });
    if (first === undefined || (first.postId === postId && first.text === text)) continue;
    const detail = `"${idempotencyKey}" made post ${first.postId} of "${first.text}", and was answered with ${postId} of "${text}"`;
    violations.push({ check: 'one Idempotency-Key, one Post', detail, about: [first.postId.slice(0, -2), text] });
  }
  return violations;
};
