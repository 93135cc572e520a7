/** Statuses of a Variant, in the order of its life. */
export const VARIANT_STATUSES = ['draft', 'scheduled', 'publishing', 'published', 'failed', 'cancelled'] as const;

/** Why a Variant failed. */
export const FAILURE_REASONS = [
  'needs_reconnect',
  'rejected_by_platform',
  'media_problem',
  'rate_limited',
  'missed_window',
  'platform_problem',
  'unconfirmed',
] as const;
