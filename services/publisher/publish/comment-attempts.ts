import type { PublishComment } from '#messages/messages.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import type { Restoration } from '#domain/restoration.ts';
import type { FirstComment } from '#networks/contract/adapter.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { sendCommand, type SendCommandOptions } from '#commands/send-command.ts';
import { commentLedgerId, type ArmVerdict, type Ledger } from '#tables/repositories/ledger.ts';
import { readPostContent } from '#tables/repositories/posts.ts';
import { inTraceOfRun, type AttemptJob } from './attempt.ts';
import type { ContentReading } from './machine-options.ts';

/** The attempt at a first comment: there is one only, and a Member can not ask for another. */
export type CommentAttempt = PublishComment & AttemptJob;

export function commentAttemptOf(message: PublishComment): CommentAttempt {
  return { ...message, ledgerId: commentLedgerId(message.variantId), attempt: 1, reconcileFirst: false };
}

/** The comment, from the rows of its Post. Rejects with `PortError`. */
export async function readComment(store: TableStore, job: PublishComment): Promise<ContentReading<FirstComment>> {
  const postId = postIdOfVariant(job.variantId);
  const content = await readPostContent(store, job.workspaceId, postId);
  const text = content?.channelOptions[job.channelId]?.firstComment;
  if (text === undefined) throw new PortError('unavailable', `the content of post ${postId} is not there`);
  const { itemId } = job;
  return {
    renditions: { kind: 'ready', files: [] },
    scheduledAt: null,
    contentFor: (access) => ({ ...access, itemId, text }),
  };
}

/**
 * Of a comment whose Variant was found to be live after the release: when that may have become live, where another
 * installation published it; null: this one did. Rejects with `PortError`.
 */
export async function commentDueAt(
  ledger: Pick<Ledger, 'readArm'>,
  { variantId }: PublishComment,
  { restoredAt }: Restoration,
): Promise<number | null> {
  const row = await ledger.readArm(variantId);
  const isFound = row?.earlier?.restored === restoredAt && row.settledRestore !== restoredAt;
  return isFound ? row.earlier!.armedAt : null;
}

const NEVER_SAID = 'The Network never said whether it took the comment.';
const WAS_RESTORED = 'Crier was restored from a backup, and may have sent the comment after the backup was taken.';
const MAY_BE_THERE = 'It may be there: look at the post before you write it again.';

/** Reports to the Workspace what became of a comment. Rejects with `PortError`. */
export async function concludeComment(
  options: SendCommandOptions,
  { workspaceId, variantId, ...job }: CommentAttempt,
  verdict: ArmVerdict,
): Promise<void> {
  const about = { type: 'FirstCommentEnded', workspaceId, variantId, ...inTraceOfRun(job) } as const;
  switch (verdict.kind) {
    case 'published':
      return sendCommand(options, { ...about, status: 'published', permalink: verdict.permalink, detail: null });
    case 'failed':
      return sendCommand(options, { ...about, status: 'failed', permalink: null, detail: verdict.detail });
    case 'unconfirmed': {
      const detail = `${verdict.isRestored === true ? WAS_RESTORED : NEVER_SAID} ${MAY_BE_THERE}`;
      return sendCommand(options, { ...about, status: 'unconfirmed', permalink: null, detail });
    }
  }
}
