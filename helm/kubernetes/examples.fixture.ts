import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectsOf, template, type KubernetesObject } from '../helm.fixture.ts';

const HELM = join(import.meta.dirname, '..');
export const EXAMPLES = readdirSync(join(HELM, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();
/** An example as Kubernetes gets it, or `default` as values.yaml stands. */
export function objectsIn(example: string): Promise<readonly KubernetesObject[]> {
  const known = rendered.get(example);
  if (known !== undefined) return known;
  const files = example === 'default' ? [] : [`helm/examples/${example}/values.yaml`];
  const made = template(files).then(({ code, output, errors }) => {
    if (code !== 0) throw new Error(`${example}: ${errors}`);
    return objectsOf(output);
  });
  rendered.set(example, made);
  return made;
}

/** Of operators whose definitions are in no module of Go. */
const WITHOUT_DEFINITION = ['KafkaTopic', 'KafkaUser', 'K8ssandraCluster'];

/** What stands beside its values. */
export const manifestsOf = (example: string): readonly KubernetesObject[] =>
  readdirSync(join(HELM, 'examples', example))
    .filter((file) => file.endsWith('.yaml') && file !== 'values.yaml')
    .flatMap((file) => objectsOf(readFileSync(join(HELM, 'examples', example, file), 'utf8')))
    .filter(({ kind }) => !WITHOUT_DEFINITION.includes(kind));

/** Everything that the examples bring to a cluster. */
export const objectsOfAll = async (): Promise<readonly KubernetesObject[]> =>
  (await Promise.all(['default', ...EXAMPLES].map(objectsIn))).flat().concat(EXAMPLES.flatMap(manifestsOf));

/** One object of each kind with a fault in it. */
export function plantedIn(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return Object.entries(PLANTED).map(([kind, plant]) => {
    const object = structuredClone(objects.find((one) => one.kind === kind)!);
    plant(object.spec);
    return object;
  });
}

/** A fault for each kind: a misspelt field, a number as text, a word that is none of its list. */
export const PLANTED: Readonly<Record<string, (spec: any) => void>> = {
  Application: (spec) => (spec.destination = 'here'),
  CronJob: (spec) => (spec.jobTemplate.spec.template.spec.containers[0].arg = []),
  Deployment: (spec) => (spec.template.spec.enableServiceLink = false),
  ExternalSecret: (spec) => (spec.target = 'crier'),
  HTTPRoute: (spec) => (spec.rules[0].backendRefs[0].port = 70_000),
  HorizontalPodAutoscaler: (spec) => (spec.metrics[0].resource.target.averageUtilisation = 70),
  Ingress: (spec) => (spec.rules[0].http.paths[0].pathType = 7),
  Job: (spec) => (spec.backoffLimit = '6'),
  NetworkPolicy: (spec) => (spec.ingres = []),
  PersistentVolumeClaim: (spec) => (spec.accessModes = 'ReadWriteOnce'),
  Pod: (spec) => (spec.containers[0].image = 1),
  PodDisruptionBudget: (spec) => (spec.minAvailabel = 1),
  PodMonitor: (spec) => (spec.podMetricsEndpoints[0].interval = 'often'),
  PrometheusRule: (spec) => (spec.groups[0].rules[0].expresion = 'up'),
  ScaledObject: (spec) => (spec.minReplicas = 2),
  Service: (spec) => (spec.ports[0].portt = 80),
  StatefulSet: (spec) => (spec.replicas = 'one'),
};
