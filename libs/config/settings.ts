import { NETWORKS } from '#domain/network.ts';
import { networkSettings } from './network-settings.ts';
import { text, secret, file, flag, list, url, integer, choice, port, type Setting } from './setting.ts';

export const ROLES = [
  'ingress',
  'app',
  'workspace',
  'scheduler',
  'publisher',
  'media',
  'webhooks',
  'admin',
  'sandbox',
] as const;
export type Role = (typeof ROLES)[number];

const DAY_SECONDS = 86_400;

/**
 * Every setting there is. Types, --help, docs/settings.md and the checks at start are made from this table; a setting
 * that no code reads fails the tidy test.
 */
export const SETTINGS = {
  engine: choice(
    'CRIER_ENGINE',
    ['embedded', 'cluster'],
    'embedded',
    'Where data lives: `embedded` (SQLite, one process) or `cluster` (Kafka and Cassandra)',
  ),
  roles: list(
    'CRIER_ROLES',
    'all',
    `Which parts run in this process: all, or some of ${ROLES.join(', ')}. Embedded runs all of them`,
  ),
  dataDir: text(
    'CRIER_DATA_DIR',
    '.crier',
    'Folder of the embedded data, of the sandbox and of generated secrets; belongs to one process at a time. Its files are readable by their user only, so roles that share it run as one user',
  ),
  host: text('CRIER_HOST', '127.0.0.1', 'Address that the API, sign-in and the app listen on'),
  port: port('CRIER_PORT', '8080', 'Port of the API, sign-in and the app; 0 = any free one'),
  adminHost: text(
    'CRIER_ADMIN_HOST',
    '127.0.0.1',
    'Address that admin, health and metrics listen on. Roles, probes and Prometheus on other machines need one that they reach',
  ),
  adminPort: port('CRIER_ADMIN_PORT', '8081', 'Port of admin, health and metrics; 0 = any free one'),
  adminNames: list(
    'CRIER_ADMIN_NAMES',
    null,
    'Further names of hosts at which operators reach admin, such as that of a Service before it; under others it answers health and metrics only',
  ),
  adminTlsCert: file(
    'CRIER_ADMIN_TLS_CERT',
    'PEM file: serve admin, health and metrics over HTTPS with this certificate, which must name the host of CRIER_INTERNAL_URL; processes then hint answers to each other over HTTPS. Read again when it changes, as are the two below',
  ),
  adminTlsKey: file('CRIER_ADMIN_TLS_KEY', 'PEM file: the key of CRIER_ADMIN_TLS_CERT'),
  adminTlsCa: file(
    'CRIER_ADMIN_TLS_CA',
    "PEM file: the authorities that may sign the certificates of admin listeners, for the processes and the command line that call them; the system's when left out",
  ),
  sandboxHost: text('CRIER_SANDBOX_HOST', '127.0.0.1', 'Address that the sandbox Networks listen on'),
  sandboxPort: port('CRIER_SANDBOX_PORT', '8090', 'Port of the sandbox Networks; 0 = any free one'),
  drainDelaySeconds: integer(
    'CRIER_DRAIN_DELAY_SECONDS',
    '0',
    0,
    3_600,
    'How long a process that was asked to end serves on, not ready: set it to the time in which proxies notice',
  ),
  drainSeconds: integer(
    'CRIER_DRAIN_SECONDS',
    '25',
    1,
    3_600,
    'How long a process that ends waits for the work in flight, which another process does again after that. The supervisor of the process must wait 5 s longer than both',
  ),
  publicUrl: url('CRIER_PUBLIC_URL', 'Address clients reach the API at; http://HOST:PORT when left out'),
  mediaUrl: url('CRIER_MEDIA_URL', 'Address Networks and people fetch media files at; CRIER_PUBLIC_URL when left out'),
  internalUrl: url(
    'CRIER_INTERNAL_URL',
    'Address other roles reach this process at; http://ADMIN_HOST:ADMIN_PORT when left out, https with CRIER_ADMIN_TLS_CERT',
  ),
  tlsCert: file(
    'CRIER_TLS_CERT',
    'PEM file: serve the API over HTTPS with this certificate; read again when it changes',
  ),
  tlsKey: file('CRIER_TLS_KEY', 'PEM file: the key of CRIER_TLS_CERT; read again when it changes'),
  hstsSeconds: integer(
    'CRIER_HSTS_SECONDS',
    '31536000',
    0,
    63_072_000,
    'How long browsers that came by https ask for the public address by https alone (Strict-Transport-Security), where CRIER_PUBLIC_URL is https; 0 = they are not told',
  ),
  trustedProxies: list('CRIER_TRUSTED_PROXIES', null, 'Addresses or ranges of proxies whose forwarded headers count'),
  readyFile: file('CRIER_READY_FILE', 'File written with addresses and the demo key when all roles are ready'),
  adminToken: secret(
    'CRIER_ADMIN_TOKEN',
    'Bearer token of admin, at least 16 characters, 8 of them different; generated when embedded, required for cluster',
  ),
  previousAdminTokens: {
    ...list(
      'CRIER_PREVIOUS_ADMIN_TOKENS',
      null,
      'Former admin tokens: they still open admin, until all that call it have the new one',
    ),
    secret: true,
  },
  adminTokens: {
    ...list(
      'CRIER_ADMIN_TOKENS',
      null,
      'Tokens of operators by name, as in ada:operate:TOKEN,grafana:read:TOKEN: operate opens all procedures of admin, read those that only look; each at least 16 characters. The audit of operators tells the name',
    ),
    secret: true,
  },
  secret: secret(
    'CRIER_SECRET',
    'Master secret for sealing tokens and signing, at least 32 characters, 8 of them different; generated when embedded, required for cluster',
  ),
  previousSecrets: {
    ...list('CRIER_PREVIOUS_SECRETS', null, 'Former master secrets: tokens that they sealed are still opened'),
    secret: true,
  },
  kafkaBrokers: list('CRIER_KAFKA_BROKERS', null, 'host:port of Kafka brokers; required for cluster'),
  kafkaTopicPrefix: text(
    'CRIER_KAFKA_TOPIC_PREFIX',
    '',
    'Prefix of every topic and group, so that installations can share a Kafka',
  ),
  kafkaReplication: integer('CRIER_KAFKA_REPLICATION', '1', 1, 9, 'Replicas of topics that migrate makes'),
  kafkaTls: flag(
    'CRIER_KAFKA_TLS',
    'false',
    'Speak TLS to Kafka; without it a password of CRIER_KAFKA_SASL_MECHANISM=plain is sent in clear',
  ),
  kafkaCa: file(
    'CRIER_KAFKA_CA',
    "PEM file: the authorities that may sign the brokers' certificates; the system's when left out. Read again when it changes, as are the two below",
  ),
  kafkaCert: file('CRIER_KAFKA_CERT', 'PEM file: the certificate that Kafka knows this client by, with its chain'),
  kafkaKey: file('CRIER_KAFKA_KEY', 'PEM file: the key of CRIER_KAFKA_CERT'),
  kafkaSaslMechanism: choice(
    'CRIER_KAFKA_SASL_MECHANISM',
    ['none', 'plain', 'scram-sha-256', 'scram-sha-512'],
    'none',
    'How to sign in to Kafka',
  ),
  kafkaUsername: text('CRIER_KAFKA_USERNAME', '', 'Kafka user'),
  kafkaPassword: secret('CRIER_KAFKA_PASSWORD', 'Kafka password'),
  cassandraContactPoints: list(
    'CRIER_CASSANDRA_CONTACT_POINTS',
    null,
    'host or host:port of Cassandra nodes; required for cluster',
  ),
  cassandraDatacenter: text('CRIER_CASSANDRA_DATACENTER', 'datacenter1', 'The data centre to use'),
  cassandraKeyspace: text('CRIER_CASSANDRA_KEYSPACE', 'crier', 'Keyspace'),
  cassandraReplication: integer(
    'CRIER_CASSANDRA_REPLICATION',
    '1',
    1,
    9,
    'Replicas in the data centre of a keyspace that migrate makes',
  ),
  cassandraTls: flag(
    'CRIER_CASSANDRA_TLS',
    'false',
    'Speak TLS to Cassandra; without it its password is sent in clear',
  ),
  cassandraCa: file(
    'CRIER_CASSANDRA_CA',
    "PEM file: the authorities that may sign the nodes' certificates, which must name the nodes' addresses; the system's when left out. Read again when it changes, as are the two below",
  ),
  cassandraCert: file(
    'CRIER_CASSANDRA_CERT',
    'PEM file: the certificate that Cassandra knows this client by, with its chain',
  ),
  cassandraKey: file('CRIER_CASSANDRA_KEY', 'PEM file: the key of CRIER_CASSANDRA_CERT'),
  cassandraUsername: text('CRIER_CASSANDRA_USERNAME', '', 'Cassandra user; none when empty'),
  cassandraPassword: secret('CRIER_CASSANDRA_PASSWORD', 'Cassandra password'),
  s3Bucket: text(
    'CRIER_S3_BUCKET',
    '',
    'Bucket of an S3-compatible store for media files, with CRIER_ENGINE=cluster; when left out, files are kept in CRIER_DATA_DIR, which all roles must then share',
  ),
  s3Endpoint: url('CRIER_S3_ENDPOINT', 'Address of the store; when left out, Amazon S3 in CRIER_S3_REGION'),
  s3Region: text('CRIER_S3_REGION', 'us-east-1', 'Region of the bucket'),
  s3AccessKeyId: text('CRIER_S3_ACCESS_KEY_ID', '', "Key of the store; when left out, the machine's own role"),
  s3SecretAccessKey: secret('CRIER_S3_SECRET_ACCESS_KEY', 'Goes with CRIER_S3_ACCESS_KEY_ID'),
  s3PathStyle: flag(
    'CRIER_S3_PATH_STYLE',
    'false',
    'Name the bucket in the path, not in the host name, as most stores other than Amazon S3 require',
  ),
  schemaRegistryUrl: url('CRIER_SCHEMA_REGISTRY_URL', 'Schema registry with the Confluent API; built in when left out'),
  networks: choice(
    'CRIER_NETWORKS',
    ['sandbox', 'live'],
    'sandbox',
    'Publish to the sandbox Networks or to the real ones',
  ),
  sandboxUrl: url(
    'CRIER_SANDBOX_URL',
    'Where the sandbox Networks are; http://SANDBOX_HOST:SANDBOX_PORT when left out',
  ),
  sandboxPublicUrl: url(
    'CRIER_SANDBOX_PUBLIC_URL',
    'Where people find the sandbox Networks in a browser, the same in all processes, such as http://localhost:18090 in front of a container; CRIER_SANDBOX_URL when left out',
  ),
  sandboxFilesUrl: url(
    'CRIER_SANDBOX_FILES_URL',
    'Where the sandbox Networks fetch the files that are at CRIER_MEDIA_URL for others, such as http://ingress:8080 among containers; CRIER_MEDIA_URL when left out',
  ),
  egressOverrides: list(
    'CRIER_EGRESS_OVERRIDES',
    null,
    'For tests with the sandbox: entries such as hooks.test=127.0.0.1:9443. requests to https://hooks.test go there instead, and it counts as public; Node checks its certificate, also against NODE_EXTRA_CA_CERTS',
  ),
  egressAllow: list(
    'CRIER_EGRESS_ALLOW',
    null,
    'Where requests to addresses of users, for webhooks and files, may go: addresses, ranges such as 203.0.113.0/24, names, and .example.com for a name and all below it. Left out: to the whole public internet; never to private addresses',
  ),
  egressDeny: list(
    'CRIER_EGRESS_DENY',
    null,
    'Where requests to addresses of users may not go, in the form of CRIER_EGRESS_ALLOW, which it overrules',
  ),
  egressProxy: url(
    'CRIER_EGRESS_PROXY',
    'HTTP proxy through which requests to addresses of users go, by CONNECT to an address that was looked up and judged before; its own address is then their source',
  ),
  networkBudgets: text(
    'CRIER_NETWORK_BUDGETS',
    '',
    'What Networks allow, where it is not as docs/networks/ says: off, or entries such as x.account=100/15m,tiktok.account=6/1m+15/1d,youtube.app=500/1d',
  ),
  networkAtOnce: text(
    'CRIER_NETWORK_AT_ONCE',
    '',
    'Attempts at a Network that all processes together make at once, where it is not 256 (youtube: 64): entries such as facebook=512,youtube=16, from 1 to 1024. Each process makes its share, by the partitions that it owns, and at most 64',
  ),
  networkAddresses: text(
    'CRIER_NETWORK_ADDRESSES',
    '',
    'Where real Networks are, when not where docs/networks/ says: entries such as x.api=https://x-proxy.example.com,facebook.video=https://video.example.com',
  ),
  graphVersion: text(
    'CRIER_GRAPH_VERSION',
    'v25.0',
    'Version of the Graph API that facebook and instagram are called with',
  ),
  publishNetworks: list(
    'CRIER_PUBLISH_NETWORKS',
    'all',
    `What the publisher role of this process publishes to: all, or some of ${NETWORKS.join(', ')}. Variants of a Network that no process publishes to wait as scheduled. Reading figures and looking after Connections run in it too, unless one of the two is named: \`figures\`, \`upkeep\``,
  ),
  ...networkSettings,
  smtpUrl: secret(
    'CRIER_SMTP_URL',
    'Where mail is handed in, e.g. smtps://user:password@mail.example.com:465; when left out with CRIER_NETWORKS=sandbox, the sandbox shows what would have been mailed',
  ),
  mailFrom: text('CRIER_MAIL_FROM', '', 'Sender of mail, e.g. Crier <crier@example.com>; required with CRIER_SMTP_URL'),
  billing: choice(
    'CRIER_BILLING',
    ['self-service', 'operator', 'stripe'],
    null,
    'Who changes Plans and buys credits: owners in the app, at once and for nothing (`self-service`), the operator alone (`operator`), or owners who pay at Stripe (`stripe`, see docs/billing.md). When left out, self-service with the sandbox and operator otherwise',
  ),
  stripeSecretKey: secret('CRIER_STRIPE_SECRET_KEY', 'With CRIER_BILLING=stripe: the secret key of the Stripe account'),
  stripeWebhookSecret: secret(
    'CRIER_STRIPE_WEBHOOK_SECRET',
    'With CRIER_BILLING=stripe: the signing secret of the webhook endpoint that leads to /billing/stripe',
  ),
  stripePrices: list(
    'CRIER_STRIPE_PRICES',
    null,
    'With CRIER_BILLING=stripe: what each price of Stripe is of, as in pro=price_1,agency=price_2,credits.100=price_3',
  ),
  signUp: choice(
    'CRIER_SIGN_UP',
    ['invited', 'open'],
    null,
    'Who may make a Workspace: nobody without an invitation, or everybody; open when CRIER_NETWORKS=sandbox, else invited',
  ),
  allowedOrigins: list(
    'CRIER_ALLOWED_ORIGINS',
    null,
    'Origins of browser clients that may call /mcp beside that of CRIER_PUBLIC_URL, e.g. https://inspector.example.com',
  ),
  demo: flag('CRIER_DEMO', null, 'Make the demo Workspace at first start; true when embedded and sandbox'),
  earliestScheduleSeconds: integer(
    'CRIER_EARLIEST_SCHEDULE_SECONDS',
    '900',
    0,
    DAY_SECONDS,
    'The shortest time ahead for which a key or app may schedule',
  ),
  duplicateWindowSeconds: integer(
    'CRIER_DUPLICATE_WINDOW_SECONDS',
    '600',
    0,
    DAY_SECONDS,
    'How long creating the same Post again returns the first one',
  ),
  missedWindowSeconds: integer(
    'CRIER_MISSED_WINDOW_SECONDS',
    '3600',
    1,
    30 * DAY_SECONDS,
    'How late a Variant may still be published',
  ),
  uploadWindowSeconds: integer(
    'CRIER_UPLOAD_WINDOW_SECONDS',
    '900',
    1,
    DAY_SECONDS,
    'How long a reserved upload waits for its file',
  ),
  unusedUploadDays: integer(
    'CRIER_UNUSED_UPLOAD_DAYS',
    '7',
    1,
    365,
    'How long a complete upload is kept without a Post',
  ),
  filesKeptDays: integer(
    'CRIER_FILES_KEPT_DAYS',
    '90',
    1,
    3_650,
    'How long files, and their renditions, are kept after the last Variant of their Post has ended',
  ),
  postsKeptDays: integer(
    'CRIER_POSTS_KEPT_DAYS',
    '400',
    100,
    3_650,
    'How long a Post is kept after the last of its Variants has ended, with all that is known of its attempts; a Post with files at least as long as those',
  ),
  ffmpeg: text(
    'CRIER_FFMPEG',
    'ffmpeg',
    'The program that converts videos: a name that is looked for in PATH, or a path. Without it videos are refused',
  ),
  ffprobe: text('CRIER_FFPROBE', 'ffprobe', 'The program that inspects videos, which comes with ffmpeg; as above'),
  conversionsAtOnce: integer(
    'CRIER_CONVERSIONS_AT_ONCE',
    null,
    1,
    256,
    "Conversions of pictures and videos that run at once in this process; when left out, as many as cores, and in a container no more than its limit of memory holds (docs/capacity.md). Of videos one runs. Beyond these, one conversion runs for a Workspace that has none at work, and one video for a Workspace that has no video at work. Each may take up to 3 GiB of memory beside the process's own",
  ),
  uploadsAtOnce: integer(
    'CRIER_UPLOADS_AT_ONCE',
    '32',
    1,
    10_000,
    'Uploads that one process receives at once, a quarter of them of one Workspace; further ones are refused with Retry-After',
  ),
  mediaReadersAtOnce: integer(
    'CRIER_MEDIA_READERS_AT_ONCE',
    '256',
    1,
    100_000,
    'Media files that one process sends at once, a quarter of them to one client and half of them of one Workspace; further requests are refused with Retry-After',
  ),
  requestsPerMinute: integer(
    'CRIER_REQUESTS_PER_MINUTE',
    '60',
    0,
    1_000_000,
    'Requests a credential may make in any rolling minute; 0 = no limit',
  ),
  strangersPerMinute: integer(
    'CRIER_STRANGER_REQUESTS_PER_MINUTE',
    '600',
    0,
    1_000_000,
    'Requests without a valid credential that one address, or IPv6 network of 64 bits, may send to this process in a minute; behind a proxy they are told apart by CRIER_TRUSTED_PROXIES only. 0 = no limit',
  ),
  verifyRows: flag(
    'CRIER_VERIFY_ROWS',
    'false',
    'For tests: refuse a second, different body of a row, which is a defect of Crier; on Cassandra that takes a read before each write. When false, embedded reports it and keeps the first, and Cassandra keeps either',
  ),
  addressesPerMinute: integer(
    'CRIER_ADDRESSES_PER_MINUTE',
    '300',
    0,
    1_000_000,
    'Addresses of files that the Posts of a Workspace may name in any rolling minute, those of validated Posts too, and of webhook endpoints that it may register; 0 = no limit',
  ),
  canary: choice(
    'CRIER_CANARY',
    ['off', 'on'],
    'off',
    'With `on`, Crier makes a small Post in a Workspace of its own again and again, and measures how far it comes; nothing of it leaves the processes. Of all processes with it and the role ingress, one at a time does so',
  ),
  canaryEverySeconds: integer(
    'CRIER_CANARY_EVERY_SECONDS',
    '60',
    15,
    3_600,
    'How often the canary makes a Post; it is due so long ahead, at most a minute',
  ),
  logLevel: choice(
    'CRIER_LOG_LEVEL',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'The lowest level that is logged',
  ),
  accessLog: flag(
    'CRIER_ACCESS_LOG',
    'false',
    'A line at level info for each answer of the API, of MCP tools and of the pages; else at level debug',
  ),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
