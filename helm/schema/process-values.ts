import { NETWORKS } from '#domain/network.ts';
import type { Setting } from '#config/setting.ts';
import { SETTINGS } from '#config/settings.ts';
import {
  annotations,
  choice,
  flag,
  integer,
  kubernetes,
  labels,
  list,
  name,
  object,
  quantity,
  text,
  type ValueSchema,
} from './json-schema.ts';

/** Set by values of their own, or by what a pod is: not by `settings`. */
const OF_THE_CHART: readonly RegExp[] = [
  /^CRIER_(ENGINE|ROLES|DATA_DIR|HOST|PORT|ADMIN_(HOST|PORT|NAMES)|INTERNAL_URL|READY_FILE|PUBLISH_NETWORKS|NETWORKS|NETWORK_AT_ONCE)$/,
  /^CRIER_(PUBLIC_URL|MEDIA_URL|TRUSTED_PROXIES|LOG_LEVEL|ACCESS_LOG|MAIL_FROM|BILLING|STRIPE_PRICES)$/,
  /^CRIER_(DRAIN_(DELAY_)?SECONDS|SANDBOX_(HOST|PORT|URL|FILES_URL)|SCHEMA_REGISTRY_URL|FFMPEG|FFPROBE)$/,
  /^CRIER_(KAFKA|CASSANDRA|S3|TLS|ADMIN_TLS)_/,
  new RegExp(`^CRIER_(${NETWORKS.join('|').toUpperCase()})_CLIENT_ID$`),
  // For tests of Crier itself.
  /^CRIER_(VERIFY_ROWS|EGRESS_OVERRIDES)$/,
];

/** The settings that `settings` takes: every one that is no credential and that the chart does not set itself. */
function settingValues(description: string): ValueSchema {
  const settings = Object.values(SETTINGS).filter(
    ({ variable, ...setting }: Setting) =>
      setting.secret !== true && !OF_THE_CHART.some((pattern) => pattern.test(variable)),
  );
  return object(description, Object.fromEntries(settings.map((setting) => [setting.variable, schemaOf(setting)])));
}

function schemaOf({ kind, choices, minimum, maximum, doc }: Setting): ValueSchema {
  switch (kind) {
    case 'integer':
      return integer(doc, minimum!, maximum!);
    case 'boolean':
      return flag(doc);
    case 'choice':
      return choice(doc, choices!);
    case 'list':
      return list(doc, { type: 'string' });
    case 'url':
      return text(doc, { pattern: '^https?://' });
    case 'text':
      return text(doc);
  }
}

const GRACE =
  'Seconds until a pod that was asked to end is killed. Worked out when left out: drainDelaySeconds + drainSeconds + 5; fewer are refused';

/** What any process takes, alone or one of many. */
const processValues: Readonly<Record<string, ValueSchema>> = {
  resources: kubernetes('Requests and limits'),
  drainDelaySeconds: integer(
    'Seconds that a pod serves on, not ready, after it was asked to end: the time in which proxies notice',
    0,
    3600,
  ),
  drainSeconds: integer('Seconds for the work in flight after that; another process does the rest', 1, 3600),
  terminationGracePeriodSeconds: integer(GRACE, 6, 7300),
  startupSeconds: integer('Seconds for a pod to answer at all, before it is started again', 30, 3600),
  podAnnotations: annotations('Annotations of its pods'),
  podLabels: labels('Labels of its pods, beside the chart’s'),
  nodeSelector: labels('Labels of nodes that it runs on'),
  tolerations: kubernetes('Tolerations', 'array'),
  affinity: kubernetes('Affinity'),
  priorityClassName: name('PriorityClass of its pods'),
  settings: {
    description: 'Settings of Crier for this alone; they win over `settings` at the top',
    $ref: '#/definitions/settings',
  },
  extraEnv: kubernetes('Further variables, such as OTEL_EXPORTER_OTLP_ENDPOINT', 'array'),
  extraEnvFrom: kubernetes('ConfigMaps and Secrets whose keys become variables', 'array'),
  extraVolumes: kubernetes('Further volumes', 'array'),
  extraVolumeMounts: kubernetes('Where they are mounted', 'array'),
};

const autoscaling = object('By load. Never of the scheduler, whose lag says nothing', {
  type: choice(
    '`hpa` goes by CPU, `keda` by triggers; `none` leaves `replicas`. Turn it on at a quiet hour: that upgrade takes the role to one pod, until it is scaled',
    ['none', 'hpa', 'keda'],
  ),
  minReplicas: integer('At least, never 0: Kafka that is away would scale it to nothing', 1, 64),
  maxReplicas: integer('At most', 1, 64),
  cpuUtilization: integer('hpa: per cent of the requested CPU', 10, 100),
  scaleDownSeconds: integer('Seconds of less load before one pod fewer: each change rebalances the group', 0, 3600),
  triggers: kubernetes('keda: triggers, such as a query of crier_log_behind_seconds', 'array'),
  fallbackReplicas: integer('keda: pods while the triggers can not be read', 1, 64),
});

const deployment: Readonly<Record<string, ValueSchema>> = {
  ...processValues,
  scratchSize: quantity('Bound of the folder for files under way, an emptyDir'),
  topologySpread: flag('Spread the pods over zones and nodes'),
  podDisruptionBudget: flag('Allow one pod at a time to be evicted, where there is more than one'),
  maxUnavailable: integer('Pods that a rollout may take away before new ones are ready', 0, 64),
  autoscaling,
};

/** The values of a Deployment; `most` replicas can have work. */
export const deploymentValues = (description: string, most: number): ValueSchema =>
  object(description, { replicas: integer('Pods, where nothing scales them', 0, most), ...deployment });

const NAME = '^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$';

export const publisherValues = list('Deployments of the role publisher', {
  ...object(
    'One of them',
    {
      name: text('Its name: the Deployment is RELEASE-publisher-NAME', { pattern: NAME }),
      publishes: {
        type: 'array',
        description: 'The Networks that it publishes to, `figures` (reading figures) or `upkeep` (of Connections)',
        items: { type: 'string', enum: [...NETWORKS, 'figures', 'upkeep'] },
        minItems: 1,
        uniqueItems: true,
      },
      replicas: integer('Pods; the topic of a Network has 16 partitions', 0, 16),
      ...deployment,
    },
    ['name', 'publishes'],
  ),
});

const RANGE = String.raw`(\*|[0-9]+(-[0-9]+)?|[A-Za-z]{3}(-[A-Za-z]{3})?)(/[0-9]+)?`;
const FIELD = `${RANGE}(,${RANGE})*`;
const SCHEDULE = `^(${FIELD}( ${FIELD}){4}|@(hourly|daily|midnight|weekly|monthly|yearly|annually))$`;

export const singleValues = object('The one process of mode single', {
  ...processValues,
  persistence: object('Its disk', {
    size: quantity('Size of the claim that is made'),
    storageClass: name('StorageClass; the cluster’s own when empty'),
    existingClaim: name('A claim that is there already, instead of one that is made'),
    keepOnDelete: flag('Keep the claim when the release is uninstalled'),
  }),
  backup: object('`crier backup` by a CronJob, verified, then old ones removed', {
    enabled: flag('Back up'),
    schedule: text('When, as cron has it', { pattern: SCHEDULE }),
    existingClaim: name('The claim that archives are written to: on another disk than the data'),
    keep: integer('Archives that passed the check, and are kept', 1, 1000),
    deadlineSeconds: integer('Seconds for a backup with its check; one that takes longer is ended', 60, 604_800),
    withFiles: flag('With the files of Posts, beside rows and secrets'),
    resources: kubernetes('Requests and limits'),
  }),
});

/** What `settings` takes, at the top and for one process alone. */
export const SETTING_VALUES = settingValues('Settings by their names, as docs/settings.md has them');
