import { variantsIn } from './draft/post-of-draft.ts';
import type { ComposeDraft } from './draft/compose-draft.ts';
import { instantOf } from './schedule/wall-clock.ts';

/** What the button will do: "Schedule 4 Posts for Tue 24 Nov, 09:00 Europe/Berlin". Counts Variants. */
export function submitWords(draft: ComposeDraft, timeZone: string): string {
  const count = variantsIn(draft);
  const posts = count === 1 ? '1 Post' : `${count} Posts`;
  if (draft.when.kind === 'now') return count === 0 ? 'Publish now' : `Publish ${posts} now`;
  const at = instantOf(draft.when, timeZone);
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
