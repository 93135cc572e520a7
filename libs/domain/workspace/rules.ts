import type { NetworkLimits } from '../network-limits.ts';
import type { Network } from '../network.ts';
import type { MediaUrl } from '../post/render.ts';

export interface Rules {
  readonly earliestScheduleMs: number;
  readonly latestScheduleMs: number;
  readonly duplicateWindowMs: number;
  readonly missedWindowMs: number;
  readonly idempotencyKeyMs: number;
  readonly mediaUrl: MediaUrl;
  /** From a reservation until its file must have come. */
  readonly uploadWindowMs: number;
  /** How long a complete upload waits for a Post. */
  readonly unusedUploadMs: number;
  /** How long files are kept after the last Variant of their Post has ended. */
  readonly filesKeptMs: number;
  /** How long a Post is kept after the last of its Variants has ended. */
  readonly postsKeptMs: number;
  readonly limits: Readonly<Partial<Record<Network, NetworkLimits>>>;
}
