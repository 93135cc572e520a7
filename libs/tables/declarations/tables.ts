import type { Table } from '#ports/table.ts';

const text = (name: string) => ({ name, type: 'text' }) as const;
const long = (name: string) => ({ name, type: 'long' }) as const;
const newestFirst = (name: string) => ({ name, type: 'text', order: 'desc' }) as const;

export const WORKSPACES: Table = {
  name: 'workspaces',
  doc: "A Workspace's truth: row ('head','') is its state and pending effects; ('event', id) the body of a large one of them; ('result', request id) and ('idempotency', key) expire; ('removal', '') is which Posts are being removed",
  partitionKey: [text('workspace_id')],
  clusteringKey: [text('kind'), text('key')],
  clock: 'conditional',
  expires: true,
};

export const WORKSPACE_VIEWS: Table = {
  name: 'workspace_views',
  doc: "What readers need of a Workspace without its truth: rows 'channels' and 'endpoints'",
  partitionKey: [text('workspace_id')],
  clusteringKey: [text('kind')],
  clock: 'turn',
};

export const POSTS: Table = {
  name: 'posts',
  doc: 'Posts by day of writing, newest first; part 0 is the content, part n the Variant whose id ends in n. A busy day has several buckets: day 1020784 is the second one of day 20784',
  partitionKey: [text('workspace_id'), long('day')],
  clusteringKey: [newestFirst('post_id'), long('part')],
  clock: 'turn',
  expires: true,
  holdsText: true,
};

export const POST_DAYS: Table = {
  name: 'post_days',
  doc: "Which days hold Posts ('written', day) and which weeks hold due ones ('due', week), so that lists skip the empty; and at which keys the buckets of a busy day, week, or month of the audit ('audit', 202611) end",
  partitionKey: [text('workspace_id')],
  clusteringKey: [text('kind'), long('number')],
  clock: 'turn',
  expires: true,
};

export const POSTS_BY_DUE_WEEK: Table = {
  name: 'posts_by_due_week',
  doc: 'Ids of Posts by the week they are due in, newest written first; a busy week has several buckets, as a day has',
  partitionKey: [text('workspace_id'), long('due_week')],
  clusteringKey: [newestFirst('post_id'), long('due_at')],
  clock: 'turn',
  expires: true,
};

export const POST_DIGESTS: Table = {
  name: 'post_digests',
  doc: 'The 10-minute rule: which Post was made of a digest',
  partitionKey: [text('workspace_id')],
  clusteringKey: [text('digest')],
  clock: 'turn',
  expires: true,
};

export const RECENT_CHANGES: Table = {
  name: 'recent_changes',
  doc: "Which Posts a turn changed, and whether Channels, by the hour of the turn and the head's version: for pages that are open, and soon gone",
  partitionKey: [text('workspace_id'), long('hour')],
  clusteringKey: [long('turn')],
  clock: 'turn',
  expires: true,
};

export const DUE: Table = {
  name: 'due',
  doc: 'Every future moment, by shard and minute; a bucket is dropped whole, a day after the watermark passed it, counted by monotonic clocks',
  partitionKey: [long('shard'), long('minute')],
  clusteringKey: [long('due_at'), text('timer_id')],
  clock: 'once',
};

export const DUE_HOURS: Table = {
  name: 'due_hours',
  doc: 'Which hours hold timers, so that a scheduler that was away for weeks need not read every minute of them; a day is dropped with its last minute',
  partitionKey: [long('shard'), long('day')],
  clusteringKey: [long('hour')],
  clock: 'once',
};

export const SHARD_WATERMARKS: Table = {
  name: 'shards',
  doc: "A scheduler shard's owner epoch (its version) and the last minute that has fired whole",
  partitionKey: [long('shard')],
  clusteringKey: [],
  clock: 'conditional',
};

export const PUBLISHING_HOLDS: Table = {
  name: 'publishing_holds',
  doc: "What operators, owners and a restore hold, a row for each scope ('network workspace holder', * for all), with the times in which it was held; publishers read all of it",
  partitionKey: [text('name')],
  clusteringKey: [text('scope')],
  clock: 'conditional',
  expires: true,
};

export const HELD_WORKSPACES: Table = {
  name: 'held_workspaces',
  doc: 'Workspaces with Variants that a hold keeps back, by shard: how many wait and how many are on their way, by Channel',
  partitionKey: [long('shard')],
  clusteringKey: [text('workspace_id')],
  clock: 'turn',
  expires: true,
};

export const HELD_VARIANTS: Table = {
  name: 'held_variants',
  doc: 'Variants of a Channel that a hold keeps back, in the order in which they are due',
  partitionKey: [text('workspace_id'), text('channel_id')],
  clusteringKey: [long('due_at'), text('variant_id')],
  clock: 'turn',
  expires: true,
};

export const NEEDED_RECONNECTS: Table = {
  name: 'needed_reconnects',
  doc: 'Workspaces with Channels that need a reconnect, by shard: how many, by Network',
  partitionKey: [long('shard')],
  clusteringKey: [text('workspace_id')],
  clock: 'turn',
  expires: true,
};

export const PUBLISH_ARMS: Table = {
  name: 'publish_arms',
  doc: 'The ledger: where the newest attempt at a Variant stands',
  partitionKey: [text('variant_id')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const LIVE_ITEMS: Table = {
  name: 'live_items',
  doc: 'After a restore: which Variant, or first comment, an item at a Network belongs to, so that no two name the same one',
  partitionKey: [text('network'), text('account_id'), text('item_id')],
  clusteringKey: [],
  clock: 'conditional',
};

export const PUBLISH_EVIDENCE: Table = {
  name: 'publish_evidence',
  doc: 'The ledger: what a Network answered, written before anything else happens',
  partitionKey: [text('variant_id')],
  clusteringKey: [long('attempt'), long('at'), text('step'), text('id')],
  clock: 'once',
  expires: true,
};

export const ASSETS: Table = {
  name: 'assets',
  doc: 'Files that Members gave: where each stands, what its bytes are, which Post has it',
  partitionKey: [text('asset_id')],
  clusteringKey: [],
  clock: 'turn',
};

export const RENDITIONS: Table = {
  name: 'renditions',
  doc: "What was made of an asset, by the key of what was asked for; row 'fetched' is what its address held",
  partitionKey: [text('asset_id')],
  clusteringKey: [text('key')],
  clock: 'conditional',
};

export const VARIANT_FILES: Table = {
  name: 'variant_files',
  doc: "The files that a Post's Variants are published with",
  partitionKey: [text('post_id')],
  clusteringKey: [text('variant_id')],
  clock: 'conditional',
  expires: true,
};

export const UPLOADS: Table = {
  name: 'uploads',
  doc: 'Of every upload: which of the files sent to its address counts, until one is sealed for good or the upload is gone',
  partitionKey: [text('asset_id')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const VARIANT_METRICS: Table = {
  name: 'variant_metrics',
  doc: "How a Post's published Variants do at Networks that tell, as last read",
  partitionKey: [text('post_id')],
  clusteringKey: [text('variant_id')],
  clock: 'conditional',
  expires: true,
};

export const CONNECTIONS: Table = {
  name: 'connections',
  doc: "A Channel's sealed tokens",
  partitionKey: [text('channel_id')],
  clusteringKey: [],
  clock: 'conditional',
};

export const CHANNELS_BY_PERSON: Table = {
  name: 'channels_by_person',
  doc: 'Which Channels a person of a Network connected, by the SHA-256 of the id that the Network knows the person by',
  partitionKey: [text('network'), text('person_hash')],
  clusteringKey: [text('channel_id')],
  clock: 'conditional',
};

export const DATA_DELETIONS: Table = {
  name: 'data_deletions',
  doc: 'Deletions that people had a Network ask us for: which Channels each is of, by the code under which its status is shown',
  partitionKey: [text('code')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const SIGN_INS: Table = {
  name: 'sign_ins',
  doc: 'People on their way through a sign-in at a Network, a quarter of an hour long',
  partitionKey: [text('sign_in_id')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const NETWORK_USES: Table = {
  name: 'network_uses',
  doc: 'What was taken of the uses that a Network allows an account, or our app, and of those of our app a Workspace; and which Workspaces asked last',
  partitionKey: [text('scope')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const CREDENTIALS: Table = {
  name: 'credentials',
  doc: 'API keys by the SHA-256 of the key',
  partitionKey: [text('token_hash')],
  clusteringKey: [],
  clock: 'turn',
};

export const CREDENTIAL_OWNERS: Table = {
  name: 'credential_owners',
  doc: "Which Workspace an API key's value belongs to, by the SHA-256 of the key: written before the key is, and never changed",
  partitionKey: [text('token_hash')],
  clusteringKey: [],
  clock: 'conditional',
};

export const MEMBERSHIPS: Table = {
  name: 'memberships',
  doc: 'Which Workspaces an account is a Member of, by the SHA-256 of its e-mail address: what sign-in and the choice of a Workspace read',
  partitionKey: [text('account_id')],
  clusteringKey: [text('workspace_id')],
  clock: 'turn',
};

export const SUBSCRIPTIONS: Table = {
  name: 'subscriptions',
  doc: 'Which subscription of a payment service a Workspace has its Plan by, who pays for it, and where one is taken',
  partitionKey: [text('workspace_id')],
  clusteringKey: [],
  clock: 'conditional',
};

export const APPROVALS: Table = {
  name: 'approvals',
  doc: "Apps that Members approved: what an app's token may do, for whom, until it is revoked",
  partitionKey: [text('approval_id')],
  clusteringKey: [],
  clock: 'turn',
};

// The names in the store are of the time before the uses of keys were noted: another name would lose what is known.
export const CREDENTIAL_USES: Table = {
  name: 'approval_uses',
  doc: 'When an API key or an approval was last used, to the minute, by the id of either',
  partitionKey: [text('approval_id')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const AUDIT: Table = {
  name: 'audit',
  doc: 'Who did what in a Workspace, when, from which address and by which door, newest first; kept 400 days. A busy month has several buckets: 2026-11.1 is the second one of 2026-11',
  partitionKey: [text('workspace_id'), text('month')],
  clusteringKey: [{ name: 'at', type: 'long', order: 'desc' }, newestFirst('entry_id')],
  clock: 'turn',
  expires: true,
};

export const OPERATOR_CALLS: Table = {
  name: 'operator_calls',
  doc: 'Calls of operators that changed something or were to: when, who, which procedure, how it ended, newest first; kept 400 days',
  partitionKey: [long('day')],
  clusteringKey: [{ name: 'at', type: 'long', order: 'desc' }, newestFirst('call_id')],
  clock: 'once',
  expires: true,
};

export const SIGN_IN_LINKS: Table = {
  name: 'sign_in_links',
  doc: 'Links that were mailed, by the SHA-256 of their secret: for which address, until when, and whether used',
  partitionKey: [text('link_hash')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const SESSIONS: Table = {
  name: 'sessions',
  doc: 'Browsers that an account is signed in with, by the SHA-256 of the secret in their cookie',
  partitionKey: [text('account_id')],
  clusteringKey: [text('session_hash')],
  clock: 'conditional',
  expires: true,
};

export const OAUTH_RECORDS: Table = {
  name: 'oauth_records',
  doc: 'What the authorization server keeps, by kind and SHA-256 of the id: clients, codes, tokens, interactions. Contents are sealed',
  partitionKey: [text('kind'), text('id_hash')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const REQUESTS: Table = {
  name: 'requests',
  doc: 'One row for each request that counts against a credential, and for each count of addresses against a Workspace',
  partitionKey: [text('credential_id')],
  clusteringKey: [long('at'), text('request_id')],
  clock: 'once',
  expires: true,
};

export const DELIVERIES: Table = {
  name: 'deliveries',
  doc: "Events on their way to endpoints, by round ('' or a replay): what is reported (0,'made'), its bytes (0,'body'; a replay has none within a day of those before it), then each attempt (1.., worker's token)",
  partitionKey: [text('delivery_id')],
  clusteringKey: [text('round'), long('attempt'), text('part')],
  clock: 'once',
  expires: true,
};

export const DELIVERIES_BY_ENDPOINT: Table = {
  name: 'deliveries_by_endpoint',
  doc: 'Which deliveries, and which replays of one, an endpoint had on a day, newest first',
  partitionKey: [text('endpoint_id'), long('day')],
  clusteringKey: [{ name: 'at', type: 'long', order: 'desc' }, text('delivery_id')],
  clock: 'once',
  expires: true,
};

export const FAILING_ENDPOINTS: Table = {
  name: 'failing_endpoints',
  doc: 'Endpoints that fail, by partition of webhook.deliveries.v1; void again when they are well',
  partitionKey: [long('partition')],
  clusteringKey: [text('endpoint_id')],
  clock: 'conditional',
  expires: true,
};

export const PARKED_KEYS: Table = {
  name: 'parked_keys',
  doc: 'Keys whose records are held back, by partition of their topic, so that an owner lists them when it is assigned',
  partitionKey: [text('topic'), long('partition')],
  clusteringKey: [text('key')],
  clock: 'conditional',
};

export const PARKED: Table = {
  name: 'parked',
  doc: 'Records of a parked key, by the episode of its parking, in the order of the log; kept 400 days',
  partitionKey: [text('topic'), text('key')],
  clusteringKey: [text('episode'), long('offset')],
  clock: 'once',
  expires: true,
};

export const DEAD_LETTER_ROWS: Table = {
  name: 'dead_letters',
  doc: 'Records that could not be handled, by the day on which they were put aside, newest first: where each stood, why, and what it is about; kept 90 days',
  partitionKey: [long('day')],
  clusteringKey: [{ name: 'at', type: 'long', order: 'desc' }, newestFirst('letter_id')],
  clock: 'once',
  expires: true,
};

export const DEAD_LETTER_VALUES: Table = {
  name: 'dead_letter_values',
  doc: 'The bytes of a dead letter as the log had them, which only operators with the role operate are shown',
  partitionKey: [text('letter_id')],
  clusteringKey: [],
  clock: 'once',
  expires: true,
};

export const HANDLING: Table = {
  name: 'handling',
  doc: 'Whether the last owner of a partition let go of it, and the keys it was handling when it vanished, by consumer group',
  partitionKey: [text('consumer_group'), text('topic'), long('partition')],
  clusteringKey: [],
  clock: 'conditional',
};

export const PROCESSES: Table = {
  name: 'processes',
  doc: 'Processes of this installation that were seen lately: release, roles, newest format, and, in scope announced, where each listens, what it publishes to, which keys it knows',
  partitionKey: [text('scope')],
  clusteringKey: [text('instance')],
  clock: 'conditional',
  expires: true,
};

export const INSTALLATION: Table = {
  name: 'installation',
  doc: "Facts of the whole installation: row 'schema' is the migrated version, 'format' the format that is written, 'lock' the migrator at work, 'clock' what operators added to it, 'oauth-keys' the sealed keys of the authorization server, 'secret-probe' a text by which a wrong secret is recognised, 'resealing' how far secrets.reseal has come, 'restoring' a restore that has not come to its end, 'canary' how far the canary's Posts have come and which process makes them, 'looked-after <shard>' the first minute of a shard that nobody has looked at for lost work",
  partitionKey: [text('name')],
  clusteringKey: [],
  clock: 'conditional',
  expires: true,
};

export const AVRO_SCHEMAS: Table = {
  name: 'avro_schemas',
  doc: 'Every schema a record in the log may carry, by id',
  partitionKey: [text('registry')],
  clusteringKey: [long('id')],
  clock: 'once',
};

export const TABLES: readonly Table[] = [
  WORKSPACES,
  WORKSPACE_VIEWS,
  POSTS,
  POST_DAYS,
  POSTS_BY_DUE_WEEK,
  POST_DIGESTS,
  RECENT_CHANGES,
  DUE,
  DUE_HOURS,
  SHARD_WATERMARKS,
  PUBLISHING_HOLDS,
  HELD_WORKSPACES,
  HELD_VARIANTS,
  NEEDED_RECONNECTS,
  PUBLISH_ARMS,
  LIVE_ITEMS,
  PUBLISH_EVIDENCE,
  ASSETS,
  RENDITIONS,
  VARIANT_FILES,
  UPLOADS,
  VARIANT_METRICS,
  CONNECTIONS,
  CHANNELS_BY_PERSON,
  DATA_DELETIONS,
  SIGN_INS,
  NETWORK_USES,
  CREDENTIALS,
  CREDENTIAL_OWNERS,
  MEMBERSHIPS,
  SUBSCRIPTIONS,
  APPROVALS,
  CREDENTIAL_USES,
  AUDIT,
  OPERATOR_CALLS,
  SIGN_IN_LINKS,
  SESSIONS,
  OAUTH_RECORDS,
  REQUESTS,
  DELIVERIES,
  DELIVERIES_BY_ENDPOINT,
  FAILING_ENDPOINTS,
  PARKED_KEYS,
  PARKED,
  DEAD_LETTER_ROWS,
  DEAD_LETTER_VALUES,
  HANDLING,
  PROCESSES,
  INSTALLATION,
  AVRO_SCHEMAS,
];
