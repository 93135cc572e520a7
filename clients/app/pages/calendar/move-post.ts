import { showToast, UNDO_MS } from '../../parts/toast.tsx';
import { isOpenChange, problemOf } from '../../server/problem.ts';
import { sendAgain } from '../../server/send-again.ts';
import { server } from '../../server/server.ts';
import { patchCalendars } from './cards/calendar-cache.ts';
import type { ShownCard } from './cards/calendar-card.ts';
import { absoluteWords } from '../../parts/time-words.ts';

export interface PostMove {
  readonly workspaceId: string;
  readonly card: ShownCard;
  /** Unix ms. */
  readonly to: number;
  /** In which the time is said. */
  readonly timeZone: string;
}

/**
 * Cancels a Post and creates it again at another time. It is shown there at once, and as it is now if the server
 * refuses. A toast says so and undoes it by moving the successor back.
 */
export async function movePost({ workspaceId, card, to, timeZone }: PostMove, isUndo = false): Promise<void> {
  const scheduledAt = new Date(to).toISOString();
  void patchCalendars(workspaceId, new Set([card.id]), [{ ...card, at: scheduledAt }]);
  let successorId: string;
  try {
    const sent = { workspaceId, postId: card.id, scheduledAt, idempotencyKey: `move-${crypto.randomUUID()}` };
    const { post } = await sendAgain(() => server.posts.move.mutate(sent));
    successorId = post.id;
  } catch (error) {
    void patchCalendars(workspaceId, new Set([card.id]), [card]);
    const what = isOpenChange(error) ? 'Nobody answered whether the Post was moved.' : 'The Post was not moved.';
    showToast({ tone: 'failed', message: `${what} ${problemOf(error).message}` });
    // A Post is often refused as it was cancelled, moved or published meanwhile: then it is not what it was.
    await showAsItIs(workspaceId, [card.id]);
    return;
  }
  const successor = { ...card, id: successorId, at: scheduledAt };
  void patchCalendars(workspaceId, new Set([card.id, successorId]), [successor]);
  focusPost(successorId);
  const time = absoluteWords(to, timeZone);
  if (isUndo) showToast({ message: `Moved back to ${time}.` });
  else
    showToast({
      message: `Moved to ${time}: the Post was cancelled and created again.`,
      forMs: UNDO_MS,
      undo: () => void movePost({ workspaceId, card: successor, to: Date.parse(card.at), timeZone }, true),
    });
  await showAsItIs(workspaceId, [card.id, successorId]);
}

/** Reads what these Posts are now: cancelled, or with the new ids of their Variants. */
async function showAsItIs(workspaceId: string, postIds: readonly string[]): Promise<void> {
  try {
    const cards = await server.posts.cards.query({ workspaceId, postIds: [...postIds] });
    void patchCalendars(workspaceId, new Set(postIds), cards);
  } catch {
    // What is shown stays; live changes will tell the rest.
  }
}

/** Who moved a Post by its menu has the focus nowhere, as the Post is elsewhere now. */
function focusPost(postId: string): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>(`[data-item="${CSS.escape(postId)}"]`)?.focus({ preventScroll: true });
  });
}
