import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { breachesOf } from '../house-rules.fixture.ts';
import { objectsOf, template, toolAt, type KubernetesObject } from '../helm.fixture.ts';
import { faultsOf } from './object-rules.fixture.ts';
import { hasSchemas, refusalsOf } from './schemas.fixture.ts';
import { KUBERNETES_VERSIONS } from './versions.ts';

const HELM = join(import.meta.dirname, '..');
const EXAMPLES = readdirSync(join(HELM, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test('the oldest version that is looked at is the oldest that the chart takes', () => {
  const { kubeVersion } = parse(readFileSync(join(HELM, 'crier/Chart.yaml'), 'utf8')) as { kubeVersion: string };
  expect(kubeVersion).toBe(`>=${KUBERNETES_VERSIONS[0]!.version}.0-0`);
});

const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();
/** An example as Kubernetes gets it, or `default` as values.yaml stands. */
function objectsIn(example: string): Promise<readonly KubernetesObject[]> {
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

const manifestsOf = (example: string): readonly KubernetesObject[] =>
  readdirSync(join(HELM, 'examples', example))
    .filter((file) => file.endsWith('.yaml') && file !== 'values.yaml')
    .flatMap((file) => objectsOf(readFileSync(join(HELM, 'examples', example, file), 'utf8')))
    .filter(({ kind }) => !WITHOUT_DEFINITION.includes(kind));

// `make chart` builds helm and fetches the schemas, which takes minutes; the suite runs wherever they are there.
describe.skipIf(toolAt('helm') === null || !hasSchemas())('Kubernetes takes', () => {
  const versions = KUBERNETES_VERSIONS.map(({ version }) => version);

  test.each(['default', ...EXAMPLES])('the example %s, in each version', async (example) => {
    const objects = await objectsIn(example);
    expect(objects.length).toBeGreaterThan(5);
    expect(refusalsOf(versions, [...objects, ...(example === 'default' ? [] : manifestsOf(example))])).toEqual([]);
    expect([faultsOf(objects), breachesOf(objects)]).toEqual([[], []]);
  });

  test.each(versions)('nothing that is planted, in version %s', async (version) => {
    const objects = (await Promise.all(EXAMPLES.map(objectsIn))).flat().concat(EXAMPLES.flatMap(manifestsOf));
    const taken = Object.entries(PLANTED).filter(([kind, plant]) => {
      const object = structuredClone(objects.find((one) => one.kind === kind)!);
      plant(object.spec);
      return refusalsOf([version], [object]).length === 0;
    });
    expect(taken.map(([kind]) => kind)).toEqual([]);
  });

  test('every kind that an example makes has a planted fault', async () => {
    const objects = (await Promise.all(EXAMPLES.map(objectsIn))).flat().concat(EXAMPLES.flatMap(manifestsOf));
    const kinds = new Set(objects.filter(({ spec }) => spec !== undefined).map(({ kind }) => kind));
    expect(Object.keys(PLANTED).toSorted()).toEqual([...kinds].toSorted());
  });
});

/** A fault for each kind: a misspelt field, a number as text, a word that is none of its list. */
const PLANTED: Readonly<Record<string, (spec: any) => void>> = {
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
