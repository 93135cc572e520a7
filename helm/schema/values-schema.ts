import { NETWORKS } from '#domain/network.ts';
import { MAX_AT_ONCE } from '#networks/contract/budgets.ts';
import {
  annotations,
  choice,
  flag,
  integer,
  key,
  kubernetes,
  labels,
  list,
  name,
  object,
  quantity,
  text,
  type ValueSchema,
} from './json-schema.ts';
import { deploymentValues, publisherValues, SETTING_VALUES, singleValues } from './process-values.ts';
import { REMOVED_VALUES } from './removed-values.ts';

/** A host, and the path that images of one owner share. */
const REGISTRY = { pattern: '^([a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)*)?$' };

const image = (description: string): ValueSchema =>
  object(description, {
    registry: text('The registry of this image alone; imageRegistry when empty', REGISTRY),
    repository: text('Repository', { pattern: '^[a-z0-9][a-z0-9._/:-]*$' }),
    tag: text('Tag; appVersion of the chart when empty. `latest` is refused', {
      pattern: '^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$',
    }),
    digest: text('Digest, which wins over the tag', { pattern: '^(sha256:[a-f0-9]{64})?$' }),
    pullPolicy: choice('When it is pulled', ['IfNotPresent', 'Always', 'Never']),
  });

/** With a path or without; nothing that would end a line or begin another value. */
const HTTP = String.raw`https?://[^/\s?#]+(/[^\s?#]*)?`;
const ADDRESS = { pattern: `^(${HTTP})?$` };
const HOST = String.raw`(\[[0-9A-Fa-f:.]+\]|[^\s,:/\[\]]+)`;
const PORT = ':[1-9][0-9]{0,4}';
/** The chart's names have 40 characters of it at most; Services begin with a letter. */
const OVERRIDE = { pattern: '^([a-z]([a-z0-9-]*[a-z0-9])?)?$' };
const RANGE = String.raw`^([0-9]{1,3}\.){3}[0-9]{1,3}/([1-9]|[12][0-9]|3[0-2])$`;
const RANGE_V6 = '^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*/([1-9]|[1-9][0-9]|1[01][0-9]|12[0-8])$';
const PROXY = '^(loopback|linklocal|uniquelocal|[0-9A-Fa-f.:]+(/[1-9][0-9]{0,2})?)$';
const SENDER = String.raw`^$|^[^\s@<>]+@[^\s@<>]+$|^[^<>\p{Cc}]+<[^\s@<>]+@[^\s@<>]+>$`;
const SECRET = 'Name of a Secret that is there already';

const tls = (engine: string): ValueSchema =>
  object('TLS', {
    enabled: flag(`Speak TLS to ${engine}`),
    caSecret: name(`${SECRET}, with the authorities that signed its certificates; the system’s when empty`),
    caKey: key('The key in it'),
    certificateSecret: name(`${SECRET}, with the certificate that ${engine} knows Crier by; none when empty`),
    certificateKey: key('The key of the certificate in it'),
    privateKeyKey: key('The key of the private key in it'),
  });

const secrets = object('The installation’s own secrets', {
  existingSecret: name(`${SECRET}. Mode single makes them on its disk when empty; mode cluster needs it`),
  secretKey: key('Key of CRIER_SECRET: 32 characters at least'),
  adminTokenKey: key('Key of CRIER_ADMIN_TOKEN: 16 characters at least'),
  previousSecretsKey: key('Key of CRIER_PREVIOUS_SECRETS; empty: there are none', ''),
  previousAdminTokensKey: key('Key of CRIER_PREVIOUS_ADMIN_TOKENS; empty: there are none', ''),
  adminTokensKey: key('Key of CRIER_ADMIN_TOKENS, tokens of operators by name; empty: there are none', ''),
});

const kafka = object('Kafka, for mode cluster', {
  brokers: list('host:port of brokers', { type: 'string', pattern: `^${HOST}${PORT}$` }),
  topicPrefix: text('Prefix of every topic and group', { pattern: '^[\\w.-]{0,100}$' }),
  replication: integer('Replicas of the topics that migrate makes', 1, 9),
  tls: tls('Kafka'),
  sasl: object('Signing in', {
    mechanism: choice('How', ['none', 'plain', 'scram-sha-256', 'scram-sha-512']),
    username: text('User; where it is empty, usernameKey names it'),
    existingSecret: name(`${SECRET}, with the password`),
    usernameKey: key('The key of the user in it', ''),
    passwordKey: key('The key of the password in it'),
  }),
});

const cassandra = object('Cassandra, for mode cluster', {
  contactPoints: list('host or host:port of nodes', { type: 'string', pattern: `^${HOST}(${PORT})?$` }),
  datacenter: text('The data centre to use', { pattern: String.raw`^\S.*$` }),
  keyspace: text('Keyspace', { pattern: '^[a-zA-Z]\\w{0,47}$' }),
  replication: integer('Replicas in the data centre of a keyspace that migrate makes', 1, 9),
  tls: tls('Cassandra'),
  auth: object('Signing in', {
    existingSecret: name(`${SECRET}, with user and password; empty: nobody signs in`),
    usernameKey: key('The key of the user in it'),
    passwordKey: key('The key of the password in it'),
  }),
});

const objectStore = object('The S3-compatible store of files, for mode cluster', {
  bucket: text('Bucket', { pattern: '^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$' }),
  endpoint: text('Address of the store; Amazon S3 when empty', ADDRESS),
  region: text('Region', { pattern: '^[a-z0-9-]+$' }),
  pathStyle: flag('Name the bucket in the path, as most stores other than Amazon S3 require'),
  existingSecret: name(`${SECRET}, with the store’s keys; empty: the identity of the pod’s service account`),
  accessKeyIdKey: key('The key of the access key’s id in it'),
  secretAccessKeyKey: key('The key of the secret access key in it'),
});

const networks = object('The Networks', {
  mode: choice('`live`: the real ones. `sandbox`: simulators, for trials', ['sandbox', 'live']),
  ...Object.fromEntries(
    NETWORKS.map((network) => [
      network,
      object(`${network}, and your app there`, {
        atOnce: integer(
          'Attempts at it that all its publishers together make at once, each pod at most 64',
          1,
          MAX_AT_ONCE,
        ),
        existingSecret: name(`${SECRET}, with its id and secret; empty: this installation does not have it`),
        clientIdKey: key('The key of the id in it'),
        clientSecretKey: key('The key of the secret in it'),
      }),
    ]),
  ),
  withoutPublisher: list('What no entry of `publishers` has, on purpose', {
    type: 'string',
    enum: [...NETWORKS, 'figures', 'upkeep'],
  }),
  sandboxDisk: object('Where the simulators of mode cluster keep accounts and items', {
    size: quantity('Size of the claim that is made'),
    storageClass: name('StorageClass; the cluster’s own when empty'),
    existingClaim: name('A claim that is there already, instead of one that is made'),
  }),
});

const networkPolicy = object('Who may connect to pods, and where they may connect to', {
  enabled: flag('Hold connections to port 8081 to those below and to pods of this release'),
  apiFrom: kubernetes('Who may reach the API; everybody when empty: peers', 'array'),
  operatorsFrom: kubernetes('Who may reach admin: peers', 'array'),
  metricsFrom: kubernetes('Who scrapes metrics: peers', 'array'),
  egress: object('Hold connections of pods', {
    enabled: flag('Allow DNS, port 443 of public addresses, and `extra`'),
    privateRanges: list('Ranges that are not public', { type: 'string', pattern: RANGE }),
    privateRangesV6: list('The same of IPv6', { type: 'string', pattern: RANGE_V6 }),
    extra: kubernetes('Rules for Kafka, Cassandra, the store of files and the mail server', 'array'),
  }),
});

const monitoring = object('What Prometheus and Grafana get', {
  podMonitor: object('A PodMonitor (Prometheus operator)', {
    enabled: flag('Make it'),
    interval: text('How often pods are scraped', { pattern: '^[0-9]+[smh]$' }),
    labels: labels('Labels that your Prometheus selects by'),
  }),
  rules: object('A PrometheusRule with alerts and recording rules', {
    enabled: flag('Make it'),
    labels: labels('Labels that your Prometheus selects by'),
    disabled: list('Alerts to leave out, by name', { type: 'string', pattern: '^[A-Z][A-Za-z0-9]*$' }),
    runbookUrl: text('Address of docs/runbook.md, which each alert names with a heading', {
      pattern: `^${HTTP}$`,
    }),
  }),
  dashboards: object('Dashboards as ConfigMaps', {
    enabled: flag('Make them'),
    namespace: text('Namespace of Grafana; that of the release when empty', {
      pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$',
    }),
    labels: labels('Labels that its sidecar selects by'),
    annotations: annotations('Annotations, such as the folder'),
  }),
});

const delivery: Readonly<Record<string, ValueSchema>> = {
  migrate: object('The Job that runs `crier migrate`, in mode cluster', {
    enabled: flag('Run it. Off: run `crier migrate` yourself before each release'),
    hook: flag('As a hook of Helm before install and upgrade. Off: an ordinary Job with a name of its own, for GitOps'),
    backoffLimit: integer('Tries', 0, 100),
    deadlineSeconds: integer('Seconds for all tries', 30, 86_400),
    keepSeconds: integer('Seconds that an ordinary Job is kept', 0, 2_592_000),
    annotations: annotations('Annotations, such as a wave of Argo CD'),
    resources: kubernetes('Requests and limits'),
  }),
  podSecurityContext: kubernetes('Security context of pods'),
  containerSecurityContext: kubernetes('Security context of containers'),
  service: object('The Service of the API', {
    type: choice('Type', ['ClusterIP', 'NodePort', 'LoadBalancer']),
    port: integer('Port', 1, 65_535),
    annotations: annotations('Annotations'),
  }),
  ingress: object('An Ingress for the hosts of publicUrl and mediaUrl', {
    enabled: flag('Make it'),
    className: name('IngressClass'),
    tlsSecret: name('Secret of the certificate; empty: TLS ends elsewhere'),
    mediaTlsSecret: name('Secret of the certificate for the host of mediaUrl; empty: that of tlsSecret is for both'),
    annotations: annotations('Annotations'),
  }),
  gateway: object('HTTPRoutes (Gateway API) for the hosts of publicUrl and mediaUrl', {
    enabled: flag('Make them'),
    parentRefs: kubernetes('Gateways, with listeners for the hosts of publicUrl and mediaUrl', 'array'),
    annotations: annotations('Annotations'),
  }),
  networkPolicy,
  monitoring,
  test: object('`helm test`', { enabled: flag('A pod that asks admin, the API and the app') }),
  extraObjects: kubernetes('Further objects, as templates', 'array'),
};

const top: Readonly<Record<string, ValueSchema>> = {
  mode: choice('`single`: one process on a disk of its own. `cluster`: a Deployment for each role', [
    'single',
    'cluster',
  ]),
  nameOverride: text('Instead of the chart’s name', OVERRIDE),
  fullnameOverride: text('Instead of release and chart', OVERRIDE),
  commonLabels: labels('Labels of every object'),
  commonAnnotations: annotations('Annotations of every object'),
  imageRegistry: text('Your registry, with the path that both images share; empty where `repository` has it', REGISTRY),
  image: image('The image'),
  mediaImage: image('The image with ffmpeg: for the roles media and ingress, and for mode single'),
  imagePullSecrets: kubernetes('Secrets of the registry', 'array'),
  serviceAccount: object('The ServiceAccount of pods, whose token is never mounted', {
    create: flag('Make it'),
    name: name('Its name'),
    annotations: annotations('Annotations, such as the role that may use the bucket'),
  }),
  publicUrl: text('Address clients reach the API and the app at. Mode cluster needs it', ADDRESS),
  mediaUrl: text(
    'Address Networks fetch files at; publicUrl when empty. Of another host `ingress` and `gateway` route /media',
    ADDRESS,
  ),
  trustedProxies: list('Addresses or ranges of proxies whose forwarded headers count', {
    type: 'string',
    pattern: PROXY,
  }),
  ipFamily: choice('What the addresses of pods are', ['IPv4', 'IPv6']),
  logLevel: choice('The lowest level that is logged', ['debug', 'info', 'warn', 'error', 'silent']),
  accessLog: flag('Log each answer'),
  settings: {
    description: 'Settings of Crier by their names (docs/settings.md), beside those that values set',
    $ref: '#/definitions/settings',
  },
  secrets,
  kafka,
  cassandra,
  objectStore,
  schemaRegistryUrl: text('Schema registry with the Confluent API; built in when empty', ADDRESS),
  networks,
  mail: object('Mail, without which nobody signs in to an installation with live Networks', {
    from: text('Sender', { pattern: SENDER }),
    existingSecret: name(`${SECRET}, with CRIER_SMTP_URL`),
    urlKey: key('The key of it'),
  }),
  billing: object('Who changes Plans and buys credits', {
    mode: choice('As CRIER_BILLING; empty: self-service with the sandbox, else operator', [
      '',
      'self-service',
      'operator',
      'stripe',
    ]),
    prices: list('stripe: what each price is of', {
      type: 'string',
      pattern: '^(pro|agency|credits\\.[1-9][0-9]{0,5})=price_[A-Za-z0-9_]+$',
    }),
    existingSecret: name(`${SECRET}, for stripe`),
    secretKeyKey: key('The key of CRIER_STRIPE_SECRET_KEY in it'),
    webhookSecretKey: key('The key of CRIER_STRIPE_WEBHOOK_SECRET in it'),
  }),
  defaults: deploymentValues('What holds for each Deployment, unless `roles` or `publishers` say otherwise', 64),
  roles: object('The Deployments of mode cluster', {
    ingress: deploymentValues('API, MCP server, sign-in and app: one address, so one Deployment', 200),
    workspace: deploymentValues('The actors: 64 partitions', 64),
    scheduler: deploymentValues('Timers: 64 shards', 64),
    webhooks: deploymentValues('Deliveries: 64 partitions', 64),
    media: deploymentValues('Files: 16 partitions', 16),
    admin: deploymentValues('Procedures for operators', 16),
    sandbox: deploymentValues('The simulated Networks, with networks.mode=sandbox: one', 1),
  }),
  publishers: publisherValues,
  single: singleValues,
  ...delivery,
};

/** Values that are no more, or that charts of others have: let through, so that the chart can say what to write. */
function removed(): Readonly<Record<string, ValueSchema>> {
  const names = Object.keys(REMOVED_VALUES).filter((path) => !path.includes('.'));
  return Object.fromEntries(names.map((name) => [name, { deprecated: true, description: REMOVED_VALUES[name]! }]));
}

/** helm/crier/values.schema.json. */
export const VALUES_SCHEMA: ValueSchema & {
  readonly $schema: string;
  readonly title: string;
  readonly definitions: Readonly<Record<string, ValueSchema>>;
} = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Values of the chart crier',
  definitions: { settings: SETTING_VALUES },
  ...object('Written by `npm run docs` from helm/schema', { ...top, global: { type: 'object' }, ...removed() }),
};
