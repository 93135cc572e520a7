import { at, textAt, type CallResult } from '../http/call.ts';
import { dataOf, tiktokPost, type TikTokWork } from './calls.ts';
import { failedFailureOf } from './errors.ts';
import type { Failure } from '../contract/adapter.ts';

/** What TikTok says of a publication. */
export interface PublicationStatus {
  /** In TikTok's word: `PROCESSING_UPLOAD`, `PROCESSING_DOWNLOAD`, `PUBLISH_COMPLETE`, `FAILED`. */
  readonly word: string;
  /** Set when it failed: nothing was published and nothing will be. */
  readonly failure: Failure | null;
  /** Comes after moderation, to what everyone may see; null until then. */
  readonly postId: string | null;
  /** Bytes of an upload that have arrived; null when it doesn't say. */
  readonly uploaded: number | null;
}

/** `status` null: it could not be read. */
export async function readStatus(
  work: TikTokWork,
  publishId: string,
): Promise<{ readonly status: PublicationStatus | null; readonly called: CallResult }> {
  const called = await tiktokPost(work, '/v2/post/publish/status/fetch/', { publish_id: publishId });
  const data = dataOf(called);
  const word = textAt(data, 'status');
  if (word === null) return { status: null, called };
  const uploaded = at(data, 'uploaded_bytes');
  const status: PublicationStatus = {
    word,
    failure: word === 'FAILED' ? failedFailureOf(textAt(data, 'fail_reason')) : null,
    // TikTok's spelling.
    postId: textAt(data, 'publicaly_available_post_id', 0),
    uploaded: typeof uploaded === 'number' && Number.isSafeInteger(uploaded) && uploaded >= 0 ? uploaded : null,
  };
  return { status, called };
}

/** Whether bytes of an upload are still to come: then nothing of it is public, and the same upload goes on. */
export function isIncomplete({ word, uploaded }: PublicationStatus, bytes: number): boolean {
  return word === 'PROCESSING_UPLOAD' && uploaded !== null && uploaded < bytes;
}
