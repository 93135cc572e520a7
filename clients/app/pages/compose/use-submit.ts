import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { showToast } from '../../parts/toast.tsx';
import { isOpenChange, problemOf } from '../../server/problem.ts';
import { queryClient, serverKey } from '../../server/queries.ts';
import { server } from '../../server/server.ts';
import { serverNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { serverBlockers, type ShownBlocker } from './checks/blockers.ts';
import type { ComposeSession } from './compose-session.ts';
import { idempotencyKeyOf, type ComposeDraft } from './draft/compose-draft.ts';
import { asRefused, asSent } from './draft/doubt.ts';
import { postOf } from './draft/post-of-draft.ts';

/**
 * How far the request that creates the Post has come. `refused`: this request created nothing. `in doubt`: its answer
 * was lost, and `adviceInDoubt` says what is safe then.
 */
export type Submission =
  | { readonly kind: 'none' }
  | { readonly kind: 'sending' }
  | {
      readonly kind: 'refused';
      readonly error: unknown;
      readonly blockers: readonly ShownBlocker[];
      readonly about: ComposeDraft;
    }
  | { readonly kind: 'in doubt'; readonly error: unknown };

/** Sends the draft; a Post that was made opens its page in the place of the composer, where that is still shown. */
export function useSubmit(session: ComposeSession): {
  readonly submission: Submission;
  readonly submit: () => Promise<void>;
} {
  const { id: workspaceId, timeZone } = useWorkspace();
  const navigate = useNavigate();
  const [submission, setSubmission] = useState<Submission>({ kind: 'none' });
  const isShown = useIsShown();
  const submit = async () => {
    session.catchUp();
    const { draft } = session.state();
    setSubmission({ kind: 'sending' });
    // Written before it is sent: a tab that dies meanwhile comes back with the doubt, and with the same key.
    session.change(asSent(serverNow()));
    try {
      const { post, replayed } = await send(workspaceId, draft, timeZone);
      session.discard({ removesUploads: false });
      for (const key of [serverKey((from) => from.posts.calendar), serverKey((from) => from.posts.list)])
        void queryClient.invalidateQueries({ queryKey: key });
      showToast({ message: doneWords(draft, replayed) });
      // Who is elsewhere by now, perhaps in another Workspace, stays there.
      if (!isShown.current) return;
      // In the place of the composer: its draft is no longer there to come back to.
      await navigate({ to: '/posts/$postId', params: { postId: post.id }, replace: true });
    } catch (error) {
      if (isOpenChange(error)) return setSubmission({ kind: 'in doubt', error });
      session.change(asRefused(draft, problemOf(error).code, serverNow()));
      const blockers = serverBlockers(problemOf(error).blockers ?? []);
      setSubmission({ kind: 'refused', error, blockers, about: session.state().draft });
    }
  };
  return { submission, submit };
}

function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

function send(workspaceId: string, draft: ComposeDraft, timeZone: string) {
  const post = postOf(draft, timeZone);
  const idempotencyKey = idempotencyKeyOf(draft);
  return draft.replaces === null
    ? server.posts.create.mutate({ workspaceId, post, idempotencyKey })
    : server.posts.replace.mutate({ workspaceId, postId: draft.replaces, post, idempotencyKey });
}

function doneWords({ when, replaces }: ComposeDraft, replayed: boolean): string {
  if (replayed) return 'The Post had been made already; it was not made twice.';
  if (replaces !== null) return 'The old Post is cancelled, and this one has taken its place.';
  return when.kind === 'now' ? 'The Post is on its way.' : 'The Post is scheduled.';
}
