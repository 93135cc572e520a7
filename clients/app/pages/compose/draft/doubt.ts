import type { ComposeDraft } from './compose-draft.ts';
import type { DraftChange } from './draft-changes.ts';

/** The server knows a draft that is sent again by its key for a day, of which clocks and slow answers may take some. */
const KNOWN_MS = 23 * 3_600_000;

/** Refusals of a Workspace that looked for a Post with the same key first, and found none or another one. */
const JUDGED_BEHIND_THE_KEY = new Set([
  'idempotency_key_reused',
  'limit_reached',
  'media_unacceptable',
  'media_unavailable',
  'plan_limit',
  'post_refused',
  'too_early',
  'too_late',
]);

/** The draft when its request is sent: it is in doubt until the request is answered. `now`: by the server's clock. */
export function asSent(now: number): DraftChange {
  return (draft) => ({ ...draft, isInDoubt: true, sentAt: draft.isInDoubt ? firstSentAt(draft) : now });
}

/** The draft after another tab has ended it: it may have been sent there since it was kept for the last time. */
export const asEndedElsewhere: DraftChange = (draft) => ({ ...draft, isInDoubt: true, sentAt: firstSentAt(draft) });

/**
 * The draft after a refusal of what was sent as `sent`: nothing was made by this request. What an earlier one made,
 * whose answer was lost, is known only where the server looked for it.
 */
export function asRefused(sent: ComposeDraft, code: string, now: number): DraftChange {
  const isSettled = !sent.isInDoubt || (JUDGED_BEHIND_THE_KEY.has(code) && isKnown(sent, now));
  return (draft) => {
    if (!isSettled) return draft;
    const { sentAt: _, ...rest } = draft;
    return { ...rest, isInDoubt: false };
  };
}

/** What a person may safely do about a draft in doubt, whose Post may have been created. */
export function adviceInDoubt(draft: ComposeDraft, now: number): string {
  return isKnown(draft, now)
    ? 'Send it again: if it was made, you get that very Post, and no second one.'
    : 'Look in the calendar whether it was made before you send it again: that was a day ago or more, and the server would make a second Post now.';
}

function isKnown(draft: ComposeDraft, now: number): boolean {
  return now - firstSentAt(draft) < KNOWN_MS;
}

/** Drafts of an older page do not say when they were sent: it was before they were kept for the last time. */
function firstSentAt({ sentAt, savedAt }: ComposeDraft): number {
  return sentAt ?? savedAt;
}
