import { variantsIn } from './draft/post-of-draft.ts';
import type { ComposeDraft } from './draft/compose-draft.ts';
import { dueAt } from './draft/chosen-time.ts';

/** What the button will do: "Schedule 4 Posts for Tue 24 Nov, 09:00 Europe/Berlin". Counts Variants. */
export function submitWords(draft: ComposeDraft, timeZone: string): string {
  const count = variantsIn(draft);
  const posts = count === 1 ? '1 Post' : `${count} Posts`;
  if (draft.when.kind === 'now') return count === 0 ? 'Publish now' : `Publish ${posts} now`;
  const at = dueAt(draft.when, timeZone);
  const verb = draft.replaces === null ? 'Schedule' : 'Replace with';
  if (at === null) return count === 0 ? verb : `${verb} ${posts}`;
  return `${verb} ${count === 0 ? '' : `${posts} `}for ${dayAndTime(at, timeZone)} ${timeZone}`.replaceAll('  ', ' ');
}

function dayAndTime(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

/** What is said of a Post that was refused as a whole; null `words`: those of the server. */
export function refusalWords(
  code: string,
  isInDoubt: boolean,
): { readonly title: string; readonly words: string | null } {
  if (code !== 'idempotency_key_reused')
    return { title: isInDoubt ? 'The Post was not made this time.' : 'The Post was not made.', words: null };
  // Its answer was lost, and the draft was changed before it was sent again.
  return {
    title: 'The Post had been made before you changed it here.',
    words:
      'It was made as it stood when you first sent it. Open it in the calendar to edit it, and throw this draft away.',
  };
}
