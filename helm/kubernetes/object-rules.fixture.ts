import { podsOf, containersOf, type KubernetesObject } from '../helm.fixture.ts';

/**
 * What an API server checks beside the schemas, as far as values of the chart can break it: names, labels, references
 * inside of a pod, bounds. Each fault is one line that begins with the object.
 */
export function faultsOf(objects: readonly KubernetesObject[]): readonly string[] {
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...twice.map((name) => `${name} is there twice`),
    ...objects.flatMap((object) =>
      [...nameFaults(object), ...selectorFaults(object), ...boundFaults(object), ...networkFaults(object)]
        .concat([...labelsIn(object)].flatMap(labelFaults), [...annotationsIn(object)].flatMap(annotationFaults))
        .map((words) => `${object.kind} ${object.metadata.name}: ${words}`),
    ),
    ...podsOf(objects).flatMap(([name, pod]) => podFaults(pod).map((words) => `pod of ${name}: ${words}`)),
  ];
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

/** Pods get the name of what makes them into a label, and a CronJob's Jobs get eleven characters more. */
const MOST_IN_NAMES: Readonly<Record<string, number>> = { Deployment: 63, StatefulSet: 63, Job: 63, CronJob: 52 };

function nameFaults({ kind, metadata }: KubernetesObject): readonly string[] {
  const pattern = kind === 'Service' ? LABEL : SUBDOMAIN;
  const most = MOST_IN_NAMES[kind] ?? 253;
  return [
    ...(pattern.test(metadata.name) ? [] : ['its name is none of Kubernetes']),
    ...(metadata.name.length <= most ? [] : [`its name is longer than ${most}`]),
  ];
}

type Words = Readonly<Record<string, unknown>>;

function* labelsIn(object: unknown): Generator<Words> {
  yield* foundIn(object, ['labels', 'matchLabels', 'nodeSelector']);
}
function* annotationsIn(object: unknown): Generator<Words> {
  yield* foundIn(object, ['annotations']);
}
function* foundIn(value: unknown, keys: readonly string[]): Generator<Words> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    // Rules of Prometheus have labels of its own.
    if (key === 'groups') continue;
    if (keys.includes(key) && typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      yield inner as Words;
    else yield* foundIn(inner, keys);
  }
}

const labelFaults = (labels: Words): readonly string[] =>
  Object.entries(labels).flatMap(([key, value]) =>
    KEY.test(key) && typeof value === 'string' && LABEL_VALUE.test(value) ? [] : [`label ${key}: ${String(value)}`],
  );
const annotationFaults = (annotations: Words): readonly string[] =>
  Object.entries(annotations).flatMap(([key, value]) =>
    KEY.test(key) && typeof value === 'string' ? [] : [`annotation ${key}: ${String(value)}`],
  );

function selectorFaults({ kind, spec }: KubernetesObject): readonly string[] {
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return [];
  const labels = spec.template.metadata.labels as Words;
  return Object.entries(spec.selector.matchLabels as Words).flatMap(([key, value]) =>
    labels[key] === value ? [] : [`selects ${key}=${String(value)}, and its pods have ${String(labels[key])}`],
  );
}

function boundFaults({ kind, spec }: KubernetesObject): readonly string[] {
  if (kind === 'HorizontalPodAutoscaler' && spec.minReplicas > spec.maxReplicas) return ['minReplicas > maxReplicas'];
  if (kind === 'ScaledObject' && spec.minReplicaCount > spec.maxReplicaCount) return ['minReplicas > maxReplicas'];
  if (kind === 'CronJob' && !isSchedule(spec.schedule)) return [`${spec.schedule} is no schedule of cron`];
  if (kind === 'PersistentVolumeClaim') return quantityFaults(spec.resources);
  return [];
}

const FIELD = /^(\*|\d+(-\d+)?|[A-Za-z]{3}(-[A-Za-z]{3})?)(\/\d+)?(,(\d+(-\d+)?|[A-Za-z]{3}(-[A-Za-z]{3})?)(\/\d+)?)*$/;
const isSchedule = (schedule: string): boolean =>
  /^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$/.test(schedule) ||
  (schedule.split(' ').length === 5 && schedule.split(' ').every((field) => FIELD.test(field)));

const ADDRESS = /^(\d+\.){3}\d+$|:/;
const CIDR = /^((\d{1,3}\.){3}\d{1,3}\/\d{1,2}|[0-9a-f:]+\/\d{1,3})$/;

function networkFaults({ kind, spec }: KubernetesObject): readonly string[] {
  const hosts: readonly string[] =
    kind === 'Ingress'
      ? [...spec.rules, ...(spec.tls ?? []).flatMap(({ hosts }: any) => hosts.map((host: string) => ({ host })))].map(
          ({ host }: { host: string }) => host,
        )
      : kind === 'HTTPRoute'
        ? spec.hostnames
        : [];
  const ranges: readonly string[] =
    kind === 'NetworkPolicy'
      ? [...foundIn(spec.egress, ['ipBlock'])].flatMap(({ cidr, except }) => [cidr, ...((except as any) ?? [])])
      : [];
  return [
    ...hosts.filter((host) => ADDRESS.test(host) || !SUBDOMAIN.test(host)).map((host) => `${host} is no host's name`),
    ...ranges.filter((range) => !CIDR.test(range)).map((range) => `${range} is no range of addresses`),
  ];
}

const QUANTITY = /^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/;

function quantityFaults({ requests = {}, limits = {} }: { requests?: Words; limits?: Words }): readonly string[] {
  return [...Object.entries(requests), ...Object.entries(limits)].flatMap(([key, value]) =>
    QUANTITY.test(String(value)) ? [] : [`${key}: ${String(value)} is no quantity`],
  );
}

function podFaults(pod: any): readonly string[] {
  const volumes: readonly string[] = (pod.volumes ?? []).map(({ name }: { name: string }) => name);
  const containers = containersOf(pod) as readonly any[];
  const ports = containers.flatMap(({ ports = [] }) => ports.map(({ name }: { name: string }) => name));
  const secrets = [...foundIn({ containers }, ['secretKeyRef'])];
  return [
    ...repeated(volumes).map((name) => `has volume ${name} twice`),
    ...repeated(containers.map(({ name }) => name)).map((name) => `has container ${name} twice`),
    ...repeated(ports).map((name) => `has port ${name} twice`),
    ...secrets.flatMap(({ name, key }) =>
      SUBDOMAIN.test(String(name)) && /^[\w.-]+$/.test(String(key)) ? [] : [`${name}/${key} is no key of a Secret`],
    ),
    ...(pod.volumes ?? [])
      .flatMap((one: any) => one.secret?.secretName ?? one.persistentVolumeClaim?.claimName ?? [])
      .flatMap((name: string) => (SUBDOMAIN.test(name) ? [] : [`mounts ${name}, which is no name`])),
    ...containers.flatMap((container) => containerFaults(container, volumes)),
  ];
}

function containerFaults({ name, env = [], volumeMounts = [], resources = {} }: any, volumes: readonly string[]) {
  const variables: readonly string[] = env.map((one: { name: string }) => one.name);
  const paths: readonly string[] = volumeMounts.map((one: { mountPath: string }) => one.mountPath);
  const faults: readonly string[] = [
    ...repeated(variables).map((one) => `has variable ${one} twice`),
    ...variables.filter((one) => !/^[A-Za-z_.-][\w.-]*$/.test(one)).map((one) => `${one} is no variable's name`),
    ...repeated(paths).map((path) => `mounts ${path} twice`),
    ...volumeMounts
      .filter((one: { name: string }) => !volumes.includes(one.name))
      .map((one: { name: string }) => `mounts ${one.name}, which is no volume`),
    ...quantityFaults(resources),
  ];
  return faults.map((words) => `container ${name} ${words}`);
}

const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);
