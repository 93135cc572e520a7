import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { EngineProcess } from '#testing/engines/process.ts';
import { KubernetesApi } from './kubernetes-api.ts';
import { GATEWAY, SERVICE_RANGE } from './network/addresses.ts';

const API_PORT = 6443;
const ETCD_PORT = 2379;
const TOKEN = 'administrator-of-this-test';
const START_WITHIN_MS = 300_000;

/** What the chart's objects need. Without the node lifecycle: nodes here are rows, and nobody renews their lease. */
const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'job-controller',
  'cronjob-controller',
  'endpointslice-controller',
  'endpoints-controller',
  'disruption-controller',
  'serviceaccount-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'ttl-after-finished-controller',
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
];

export interface ControlPlane extends AsyncDisposable {
  readonly api: KubernetesApi;
  /** For helm and kubectl. */
  readonly kubeconfig: string;
}

/** etcd, the API server and the controllers, as processes that end with this one. Everything is kept below `folder`. */
export async function startControlPlane(tools: string, folder: string): Promise<ControlPlane> {
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates, { recursive: true });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const accountKey = join(folder, 'service-accounts.key');
  writeFileSync(accountKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},administrator,administrator,"system:masters"\n`);

  const started: EngineProcess[] = [];
  const start = async (name: string, args: readonly string[], probe: () => Promise<void>): Promise<void> => {
    const logFile = join(folder, `${name}.log`);
    const command = join(tools, name);
    const process = new EngineProcess({ name, command, args, env: {}, logFile, probe, readyWithinMs: START_WITHIN_MS });
    started.push(process);
    await process.start();
  };
  const stop = async (): Promise<void> => {
    for (const process of started.toReversed()) await process.kill('SIGKILL');
  };
  try {
    const etcd = `http://127.0.0.1:${ETCD_PORT}`;
    const etcdArgs = [
      '--data-dir',
      join(folder, 'etcd'),
      '--listen-client-urls',
      etcd,
      '--advertise-client-urls',
      etcd,
    ];
    await start('etcd', etcdArgs, () => isHealthy(`${etcd}/health`));
    await start('kube-apiserver', apiServerArgs({ etcd, certificates, tokens, accountKey }), () =>
      apiOf(certificates).get('/readyz').then(nothing),
    );
    const kubeconfig = join(folder, 'kubeconfig.json');
    writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(certificateIn(certificates))));
    const controllerArgs = [
      `--kubeconfig=${kubeconfig}`,
      `--controllers=${CONTROLLERS.join(',')}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      '--authentication-skip-lookup=true',
      `--cert-dir=${join(folder, 'controller-certificates')}`,
    ];
    await start('kube-controller-manager', controllerArgs, () => Promise.resolve());
    return { api: apiOf(certificates), kubeconfig, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function apiServerArgs(at: {
  readonly etcd: string;
  readonly certificates: string;
  readonly tokens: string;
  readonly accountKey: string;
}): readonly string[] {
  return [
    `--etcd-servers=${at.etcd}`,
    `--cert-dir=${at.certificates}`,
    `--token-auth-file=${at.tokens}`,
    '--authorization-mode=RBAC',
    `--secure-port=${API_PORT}`,
    `--advertise-address=${GATEWAY}`,
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${at.accountKey}`,
    `--service-account-signing-key-file=${at.accountKey}`,
  ];
}

const certificateIn = (folder: string): string => readFileSync(join(folder, 'apiserver.crt'), 'utf8');

function apiOf(certificates: string): KubernetesApi {
  return new KubernetesApi({ port: API_PORT, token: TOKEN, certificate: certificateIn(certificates) });
}

function kubeconfigOf(certificate: string): object {
  const cluster = {
    server: `https://127.0.0.1:${API_PORT}`,
    'tls-server-name': 'localhost',
    'certificate-authority-data': Buffer.from(certificate).toString('base64'),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'administrator', user: { token: TOKEN } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'administrator' } }],
    'current-context': 'test',
  };
}

const nothing = (): void => undefined;

function isHealthy(url: string): Promise<void> {
  return new Promise((done, reject) => {
    const asked = request(url, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) done();
      else reject(new Error(`${url}: ${answer.statusCode}`));
    });
    asked.once('error', reject);
    asked.end();
  });
}
