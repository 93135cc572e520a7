import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { composeSearchOf } from '../../address/compose-search.ts';
import { absoluteWords } from '../../parts/time-words.ts';
import { useServerQuery } from '../../server/queries.ts';
import { serverNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { chosenTime, inZone, offeredTime } from './draft/chosen-time.ts';
import { emptyDraft, type ComposeDraft } from './draft/compose-draft.ts';
import { copyOf, successorOf } from './draft/draft-of-post.ts';
import type { DraftStore } from './draft/draft-store.ts';

/** What the composer begins with. `note`: what the person should know of it. */
export type FirstDraft =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown; readonly retry: () => void }
  | { readonly kind: 'ready'; readonly draft: ComposeDraft; readonly note: string | null };

type ReadyDraft = Extract<FirstDraft, { kind: 'ready' }>;

/**
 * What the browser kept of the draft, if anything; else the Post that the address names, to be replaced or copied; else
 * an empty one at the time that the address names. Once it is there it stays, and the Post is not read any more: what
 * is written by then would go with the composer where the Post could not be read again.
 */
export function useFirstDraft(draftId: string, store: DraftStore): FirstDraft {
  const [given, setGiven] = useState<ReadyDraft | null>(null);
  const first = useReadDraft(draftId, store, given === null);
  if (given !== null) return given;
  if (first.kind === 'ready') setGiven(first);
  return first;
}

function useReadDraft(draftId: string, store: DraftStore, isWanted: boolean): FirstDraft {
  const { id: workspaceId, timeZone } = useWorkspace();
  const { replace, copy, only = null, at } = composeSearchOf({ ...useSearch({ from: '/compose' }) });
  const [kept] = useState(() => store.read(draftId));
  const postId = replace ?? copy;
  const needsPost = kept === null && postId !== undefined;
  const asked = { workspaceId, postId: postId ?? '' };
  // Never fresh: the Post may have changed since it was looked at.
  const extras = { enabled: needsPost && isWanted, staleTime: 0, gcTime: 0 };
  const written = useServerQuery((from) => from.posts.draft, asked, extras);
  const shown = useServerQuery((from) => from.posts.get, asked, extras);
  if (kept !== null)
    return {
      kind: 'ready',
      draft: { ...kept, when: inZone(kept.when, timeZone) },
      note: `This draft was kept in this browser, ${absoluteWords(kept.savedAt, timeZone)}.`,
    };
  const now = serverNow();
  if (!needsPost) {
    const when = timeAt(at, now, timeZone);
    return { kind: 'ready', draft: { ...emptyDraft(draftId), when }, note: null };
  }
  const failed = written.error ?? shown.error;
  if (failed !== null)
    return { kind: 'failed', error: failed, retry: () => void Promise.all([written.refetch(), shown.refetch()]) };
  if (written.data === undefined || shown.data === undefined) return { kind: 'loading' };
  const options = { id: draftId, timeZone, shown: shown.data };
  if (replace !== undefined) return { kind: 'ready', draft: successorOf(written.data, options), note: null };
  const { draft, leftOut } = copyOf(written.data, options, only);
  const when = timeAt(at, now, timeZone);
  return { kind: 'ready', draft: { ...draft, when }, note: leftOut === 0 ? null : LEFT_OUT };
}

function timeAt(at: string | undefined, now: number, timeZone: string): ComposeDraft['when'] {
  return at === undefined ? offeredTime(now, timeZone) : chosenTime(Date.parse(at), timeZone);
}

const LEFT_OUT = 'Its files belong to the other Post and were left out: choose them again.';
