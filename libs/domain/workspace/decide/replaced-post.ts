import { mayBePublishedElsewhere } from '../../restoration.ts';
import { cancelQueued, queuedOf } from '../cancel-queued.ts';
import type { CreatePost } from '../commands.ts';
import { refusal, type DecisionContext } from '../decision-context.ts';
import { changeVariants, loadedPost, type PostChange } from '../post-changes.ts';
import type { Refusal } from '../results.ts';

/** What is left when the Post that a command replaces is cancelled. */
export interface ReplacedPost {
  readonly ok: true;
  /** Null: the command replaces no Post. */
  readonly change: PostChange | null;
  /** The situation after that, for judging and creating the successor. */
  readonly after: DecisionContext;
}

/**
 * Cancels the Post that the command replaces. Refused once anything of it may have reached a Network: then there would
 * be two. In one turn with the successor there is no instant with both of them, and none with neither.
 */
export function replacedBy(situation: DecisionContext, command: CreatePost): ReplacedPost | Refusal {
  if (command.replaces === undefined) return { ok: true, change: null, after: situation };
  const { state, view, restoration, now } = situation;
  const post = loadedPost(view, command.replaces);
  if (post === null) return refusal('not_found', 'There is no such Post to replace.');
  const begun = post.variants.some(
    ({ status }) => status !== 'cancelled' && status !== 'scheduled' && status !== 'draft',
  );
  const { changed, endsAny } = cancelQueued(state, post, command.issuedAt);
  if (begun || !endsAny)
    return refusal(
      'not_cancellable',
      'This Post is not waiting any more, so it stays as it is. Write a new Post instead.',
    );
  // The outcome of an earlier attempt is unknown: what may be live would stay beside the successor.
  if (post.variants.some(({ reconcileFirst }) => reconcileFirst))
    return refusal(
      'not_cancellable',
      'An earlier attempt of this Post may be live, so it is not replaced. Wait until its retry has ended, or cancel it and look at the Network.',
    );
  if (queuedOf(post).some((variant) => mayBePublishedElsewhere(restoration, variant, now)))
    return refusal(
      'not_cancellable',
      'Crier was restored from a backup, and may have published this Post after the backup was taken, so it is not replaced. Look at the Network: if the Post is not there, cancel it here and write a new one.',
    );
  const change = changeVariants(state, post, changed);
  return { ok: true, change, after: { ...situation, state: change.state } };
}
