import type { VariantStatus } from '../post/post.ts';

/**
 * Every change of status. `published` and `cancelled` are final; `failed` ends with a Member's retry, or becomes
 * `published` when it was `unconfirmed` and the proof came after the verdict. `publishing` goes back to `scheduled`
 * only where a hold, or a Disconnect of its Channel, kept the attempt from sending anything.
 */
export const TRANSITIONS: Readonly<Record<VariantStatus, readonly VariantStatus[]>> = {
  draft: ['scheduled', 'cancelled'],
  scheduled: ['publishing', 'failed', 'cancelled'],
  publishing: ['published', 'failed', 'scheduled'],
  published: [],
  failed: ['scheduled', 'published'],
  cancelled: [],
};

export function mayMove(from: VariantStatus, to: VariantStatus): boolean {
  return TRANSITIONS[from].includes(to);
}
