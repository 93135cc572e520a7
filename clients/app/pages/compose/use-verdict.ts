import { useEffect, useMemo, useRef, useState } from 'react';
import { server } from '../../server/server.ts';
import { problemOf } from '../../server/problem.ts';
import { serverBlockers, type ShownBlocker } from './checks/blockers.ts';
import { ValidationQueue } from './checks/validation-queue.ts';
import type { SentPost } from './draft/compose-draft.ts';

interface Asked {
  readonly post: SentPost;
  readonly replaces: string | null;
}

/** What the server says of the Post as it is written now. `failed`: it could not be asked, or refused the question. */
export type AskedVerdict =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly blockers: readonly ShownBlocker[]; readonly upgrade: string | null }
  | { readonly kind: 'failed'; readonly message: string };

const QUIET_MS = 600;

/**
 * Asks the server what would come of the Post, when nothing was written for a moment. `post`: null while there is
 * nothing to ask about.
 */
export function useVerdict(workspaceId: string, post: SentPost | null, replaces: string | null): AskedVerdict {
  const [answer, setAnswer] = useState<{ readonly about: string; readonly verdict: AskedVerdict } | null>(null);
  const about = useMemo(() => (post === null ? null : JSON.stringify({ post, replaces })), [post, replaces]);
  const queue = useRef<ValidationQueue<string, AskedVerdict> | null>(null);
  useEffect(() => {
    const made = new ValidationQueue<string, AskedVerdict>({
      quietMs: QUIET_MS,
      ask: (asked) => ask(workspaceId, JSON.parse(asked) as Asked),
      tell: (outcome) =>
        setAnswer({
          about: outcome.input,
          verdict:
            outcome.kind === 'verdict'
              ? outcome.verdict
              : { kind: 'failed', message: problemOf(outcome.error).message },
        }),
    });
    queue.current = made;
    return () => made.cancel();
  }, [workspaceId]);
  useEffect(() => {
    if (about === null) queue.current?.cancel();
    else queue.current?.submit(about);
  }, [about, workspaceId]);
  return answer !== null && answer.about === about ? answer.verdict : { kind: 'unknown' };
}

async function ask(workspaceId: string, { post, replaces }: Asked): Promise<AskedVerdict> {
  const input = { workspaceId, post, ...(replaces === null ? {} : { replaces }) };
  const { blockers, upgrade } = await server.posts.validate.mutate(input);
  return { kind: 'known', blockers: serverBlockers(blockers), upgrade: upgrade?.label ?? null };
}
