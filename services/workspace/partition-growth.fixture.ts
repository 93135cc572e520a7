/** Of one Workspace, each to five Channels. */
export const POSTS_A_DAY = 200_000;
/** Of a day's Posts are due at the busiest minute, and written in the busiest hour. */
const OF_A_MINUTE = 1 / 10;
const OF_AN_HOUR = 1 / 8;
/** Expired rows are in files until these were compacted, three hours later at the soonest. */
const GRACE_HOURS = 6;
const GRACE_DAYS = GRACE_HOURS / 24;

/** Rows of `days` days' Posts are in one partition. `kind`: only rows whose clustering begins with it. */
export interface Growth {
  readonly of: string;
  readonly parts: readonly { readonly days: number; readonly kind?: string }[];
}

/** Grows by each day's Posts as long as an operator leaves it so, and has no bound. */
export interface OpenGrowth {
  readonly whileLeft: string;
}

const daysOf = (of: string, days: number): Growth => ({ of, parts: [{ days }] });

/**
 * How far the largest partition of a table grows with a Workspace's Posts. `bucket`: it is one bucket of a period.
 * `entity`: it is of one Variant, Post, Channel, key or delivery, or of what an installation has few of, and does not
 * grow with Posts.
 */
export const GROWTHS: Readonly<Record<string, Growth | OpenGrowth | 'bucket' | 'entity'>> = {
  workspaces: {
    of: 'a Workspace: Idempotency-Keys for 27 hours, results of requests for ten minutes',
    parts: [
      { kind: 'idempotency', days: 27 / 24 + GRACE_DAYS },
      { kind: 'result', days: OF_AN_HOUR * (GRACE_HOURS + 1 / 6) },
    ],
  },
  workspace_views: 'entity',
  posts: 'bucket',
  post_days: 'entity',
  posts_by_due_week: 'bucket',
  post_digests: daysOf('a Workspace, for a day and ten minutes', 1 + 1 / 144 + GRACE_DAYS),
  recent_changes: daysOf('an hour of a Workspace', OF_AN_HOUR),
  due: daysOf('a minute of a shard, in which a tenth of the Posts are due', OF_A_MINUTE),
  due_hours: 'entity',
  shards: 'entity',
  publishing_holds: 'entity',
  held_workspaces: 'entity',
  held_variants: { whileLeft: 'a Channel that gets every Post and is held' },
  needed_reconnects: 'entity',
  publish_arms: 'entity',
  live_items: 'entity',
  publish_evidence: 'entity',
  assets: 'entity',
  renditions: 'entity',
  variant_files: 'entity',
  uploads: 'entity',
  variant_metrics: 'entity',
  connections: 'entity',
  channels_by_person: 'entity',
  data_deletions: 'entity',
  sign_ins: 'entity',
  network_uses: 'entity',
  credentials: 'entity',
  credential_owners: 'entity',
  memberships: 'entity',
  subscriptions: 'entity',
  approvals: 'entity',
  approval_uses: 'entity',
  audit: 'bucket',
  operator_calls: 'entity',
  sign_in_links: 'entity',
  sessions: 'entity',
  oauth_records: 'entity',
  requests: daysOf('a key, for five minutes', OF_AN_HOUR * (GRACE_HOURS + 1 / 12)),
  deliveries: 'entity',
  deliveries_by_endpoint: daysOf('a day of an endpoint that gets all events', 1),
  failing_endpoints: 'entity',
  parked_keys: 'entity',
  parked: { whileLeft: 'a Workspace whose key is parked' },
  dead_letters: 'entity',
  dead_letter_values: 'entity',
  handling: 'entity',
  processes: 'entity',
  installation: 'entity',
  avro_schemas: 'entity',
};

/** What a bucket is of. */
export const BUCKETED: Readonly<Record<string, string>> = {
  posts: 'a day of a Workspace, or a part of it',
  posts_by_due_week: 'a week of a Workspace in which Posts are due, or a part of it',
  audit: 'a month of a Workspace, or a part of it',
};
