import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { AdminClient, SandboxClient, type ApiClient } from '#testing/crier-clients.ts';
import { startCassandra } from '#testing/engines/cassandra.ts';
import { startKafka } from '#testing/engines/kafka.ts';
import { startObjectStorage } from '#testing/engines/object-storage.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { inventory } from './inventory.ts';
import { GATEWAY } from './network/addresses.ts';
import { attachPod } from './network/pod-network.ts';
import { ContainerProcess } from './node/container-process.ts';
import { makeImage, type ImageFolder } from './node/image.ts';
import type { TestCluster } from './test-cluster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const NAMESPACE = 'social';
const ADMIN_TOKEN = randomBytes(16).toString('hex');

/** Kafka, Cassandra and a store of files, reached from pods at the machine's address. */
export interface ReachableEngines extends AsyncDisposable {
  /** What the chart has to be told of them. */
  readonly values: object;
  readonly storage: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export async function startEngines(): Promise<ReachableEngines> {
  await using stack = new AsyncDisposableStack();
  const kafka = await startKafka({ host: GATEWAY, brokerSessionMs: 9_000, containers: null });
  stack.defer(() => kafka.stop());
  const cassandra = await startCassandra({ host: GATEWAY, flushesSchema: false, containers: null });
  stack.defer(() => cassandra.stop());
  const storage = await startObjectStorage(GATEWAY);
  stack.defer(() => storage.stop());
  const held = stack.move();
  return {
    values: {
      kafka: { brokers: kafka.brokers },
      cassandra: { contactPoints: cassandra.contactPoints.map((host) => `${host}:${cassandra.port}`) },
      objectStore: { bucket: storage.bucket, endpoint: storage.endpoint, region: storage.region },
    },
    storage,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** The two images of a tree under the tag, as the steps of the Dockerfile make them. */
export async function pushImages(cluster: TestCluster, source: string, tag: string): Promise<void> {
  const image = makeImage(source, join(ROOT, '.cache/kubernetes', `image-${tag}`));
  const code = image.mounts.find(({ at }) => at === image.workingDirectory)!.from;
  execFileSync('mkdir', ['-p', join(code, '.cache')]);
  execFileSync('cp', ['-al', join(ROOT, '.cache/app'), join(code, '.cache/app')]);
  await warmUp(cluster, image);
  // One folder is both: the machine's ffmpeg is in every container.
  for (const name of ['crier', 'crier-media']) cluster.images.set(`ghcr.io/crier-project/${name}:${tag}`, image);
}

/** The Dockerfile's last step: what is compiled is kept in the image. */
async function warmUp(cluster: TestCluster, image: ImageFolder): Promise<void> {
  const network = await attachPod();
  const root = join(cluster.folder, network.name);
  execFileSync('mkdir', [root]);
  const logFile = join(cluster.folder, 'warm-up.log');
  const process = new ContainerProcess(
    {
      root,
      mounts: image.mounts.map((mount) => ({ ...mount, readOnly: false })),
      ...{ readOnlyRoot: false, user: 0, group: 0, supplementaryGroups: [] },
      ...{ noNewPrivileges: false, noCapabilities: false, controlGroup: null },
      ...{ hostname: network.name, resolver: '', workingDirectory: image.workingDirectory, env: image.env },
      command: ['node', 'deploy/warm-up.ts'],
    },
    { network: network.name, logFile, ledger: cluster.ledger },
  );
  const { code } = await process.ended;
  await network.detach();
  if (code !== 0) throw new Error(`the image does not start: ${execFileSync('tail', ['-20', logFile]).toString()}`);
}

type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The namespace, in which the API server refuses pods that are not `restricted`, the Secret `crier` that values name,
 * and further Secrets.
 */
export async function prepareNamespace({ api }: TestCluster, namespace: string, secrets: Secrets = {}): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await api.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels },
  });
  // A neighbour whose Service has the name of a setting: its address is in the environment of pods that take links.
  await api.create(`/api/v1/namespaces/${namespace}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'crier-ingress' },
    spec: { selector: { app: 'neighbour' }, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  });
  const own = { secret: randomBytes(24).toString('hex'), 'admin-token': ADMIN_TOKEN };
  for (const [name, stringData] of Object.entries({ crier: own, ...secrets }))
    await api.create(`/api/v1/namespaces/${namespace}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData,
    });
}

/** The default account and what the neighbour has come by themselves, soon after the namespace. */
export function inventoryOnceSettled({ api }: TestCluster): Promise<readonly string[]> {
  const own = ['serviceaccounts default', 'endpoints crier-ingress'];
  return until(
    async () => {
      const seen = await inventory(api, NAMESPACE);
      return own.every((line) => seen.includes(line)) && seen.some((line) => /^endpointslices/.test(line))
        ? seen
        : null;
    },
    { what: 'the namespace with what it has by itself', withinMs: 60_000, everyMs: 500 },
  );
}

/** A picture, sent as a client does that reaches the Service, and completed. Returns its id. */
export async function uploadPicture(api: ApiClient, url: string): Promise<string> {
  const { contentType, bytes } = MEDIA_FIXTURES.photo;
  const reserved = await api.send('POST', '/api/media', { filename: 'a file', contentType, bytes: bytes.length });
  const { assetId, uploadUrl } = reserved.body.data;
  // It begins with the public address, which leads to the Service where there is an Ingress.
  const { pathname, search } = new URL(uploadUrl);
  const headers = { 'content-type': contentType };
  const put = await fetch(`${url}${pathname}${search}`, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  const completed = await api.send('POST', `/api/media/${assetId}/complete`);
  if (put.status !== 204 || completed.status !== 200)
    throw new Error(`not uploaded: ${put.status}, ${completed.status} ${JSON.stringify(completed.body)}`);
  return assetId;
}

export async function serviceUrl({ api }: TestCluster, name: string): Promise<string> {
  const { spec } = await api.get(`/api/v1/namespaces/${NAMESPACE}/services/${name}`);
  return `http://${spec.clusterIP}:${spec.ports[0].port}`;
}

/** At its own address: listeners for operators refuse the name of a Service and its address. */
async function podUrl({ api }: TestCluster, component: string, port: number): Promise<string> {
  const pods = await api.list(
    `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app.kubernetes.io/component=${component}`,
  );
  const pod = pods.find(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.podIP);
  if (pod === undefined) throw new Error(`no pod of ${component} has an address`);
  return `http://${pod.status.podIP}:${port}`;
}

export async function adminOf(cluster: TestCluster, component = 'admin'): Promise<AdminClient> {
  return new AdminClient(await podUrl(cluster, component, 8081), ADMIN_TOKEN);
}

export async function sandboxOf(cluster: TestCluster, component = 'sandbox'): Promise<SandboxClient> {
  return new SandboxClient(await podUrl(cluster, component, 8090));
}
