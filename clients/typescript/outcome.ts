import type { Post } from './api.ts';
import { pause } from './backoff.ts';
import { CrierError } from './crier-error.ts';

export interface OutcomeOptions {
  /** Give up after this long. Left out: never. */
  readonly timeoutMs?: number;
  /** Told of the Post when first read, and whenever a Variant of it has another status than before. */
  readonly onChange?: (post: Post) => void;
  readonly signal?: AbortSignal;
}

const SETTLED = new Set(['published', 'failed', 'cancelled']);
const FIRST_GAP_MS = 500;
/** A key has 60 requests a minute: waiting takes at most a tenth of them. */
const MAX_GAP_MS = 10_000;

/** Reads the Post at growing gaps until all its Variants are settled. Rejects with CrierError `timeout`. */
export async function waitForOutcome(
  read: (signal?: AbortSignal) => Promise<Post>,
  { timeoutMs = Number.POSITIVE_INFINITY, onChange, signal }: OutcomeOptions,
): Promise<Post> {
  const until = Date.now() + timeoutMs;
  let known = '';
  for (let gapMs = FIRST_GAP_MS; ; gapMs = Math.min(MAX_GAP_MS, gapMs * 1.5)) {
    const post = await read(signal);
    const statuses = post.variants.map(({ status }) => status);
    if (statuses.join() !== known) {
      known = statuses.join();
      gapMs = FIRST_GAP_MS;
      onChange?.(post);
    }
    if (statuses.every((status) => SETTLED.has(status))) return post;
    if (Date.now() + gapMs > until)
      throw new CrierError({
        status: null,
        code: 'timeout',
        message: `The Post ${post.id} has no outcome yet: ${statuses.join(', ')}. Read it again later.`,
      });
    await pause(gapMs, signal);
  }
}
