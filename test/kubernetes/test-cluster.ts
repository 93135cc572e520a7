import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { Helm } from './helm.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { startClusterDns } from './network/cluster-dns.ts';
import { makeBridge } from './network/pod-network.ts';
import { ServiceProxy } from './network/service-proxy.ts';
import type { ImageFolder } from './node/image.ts';
import { NodeAgent } from './node/node-agent.ts';
import { ProcessLedger } from './node/process-ledger.ts';
import { VolumeClaims } from './node/volume-claims.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TOOLS = join(ROOT, '.cache/tools');

/** A cluster for one test: a real API server with its controllers, and nodes whose containers are processes here. */
export interface TestCluster extends AsyncDisposable {
  readonly api: KubernetesApi;
  readonly helm: Helm;
  readonly agent: NodeAgent;
  readonly proxy: ServiceProxy;
  /** The images that its nodes can pull, by name; more may come. */
  readonly images: Map<string, ImageFolder>;
  readonly folder: string;
  /** The processes of containers, which end with the cluster, or when the next one starts. */
  readonly ledger: ProcessLedger;
  /** Prints a figure, and keeps it with the logs. */
  tell(figure: string): void;
  /** The folder that is the disk of a claim. */
  disk(namespace: string, claim: string): string;
  /** The output of all containers of the namespace whose pod's name begins so. */
  output(namespace: string, pod: string): string;
}

/**
 * Needs root in a network namespace of its own (`make kubernetes`). What its containers said is kept below
 * `last-run/name` of its folder.
 */
export async function startTestCluster(name: string): Promise<TestCluster> {
  const all = join(ROOT, '.cache/kubernetes');
  mkdirSync(all, { recursive: true });
  const ledger = onlyRun(all);
  const kept = join(all, 'last-run', name);
  const old = readdirSync(all).filter((entry) => /^(run|image)-/.test(entry));
  for (const folder of [kept, ...old.map((entry) => join(all, entry))])
    rmSync(folder, { recursive: true, force: true });
  const folder = mkdtempSync(join(all, 'run-'));
  await using stack = new AsyncDisposableStack();
  await makeBridge();
  const plane: ControlPlane = stack.use(await startControlPlane(TOOLS, join(folder, 'control-plane')));
  const { api, kubeconfig } = plane;
  const services = new Map<string, any>();
  const images = new Map<string, ImageFolder>();
  const host = { api, images, services: () => services.values(), ledger, folder: join(folder, 'node') };
  mkdirSync(host.folder);
  const agent = stack.use(new NodeAgent(['node-1', 'node-2'], host));
  await agent.register();
  const proxy = stack.use(new ServiceProxy());
  stack.use(await startClusterDns(() => services.values()));
  const watching = new AbortController();
  stack.defer(() => watching.abort());
  const follow = (path: string, onChange: Parameters<KubernetesApi['follow']>[1]): void =>
    void api
      .follow(path, onChange, watching.signal)
      .catch((error: Error) => agent.lines.push(`${path}: ${error.stack}`));
  follow('/api/v1/services', (found) => {
    services.clear();
    for (const [key, service] of found) services.set(key, service);
    proxy.setServices(found.values());
  });
  follow('/apis/discovery.k8s.io/v1/endpointslices', (found) => proxy.setEndpoints(found.values()));
  const claims = new VolumeClaims(api);
  follow('/api/v1/persistentvolumeclaims', (found) => claims.setClaims(found.values()));
  follow('/api/v1/nodes', (found) => agent.setNodes(found.values()));
  follow('/api/v1/pods', (found) => agent.setPods(found));
  const held = stack.move();
  return {
    ...{ api, agent, proxy, images, folder, ledger, helm: new Helm(TOOLS, kubeconfig, folder) },
    tell(figure) {
      mkdirSync(kept, { recursive: true });
      appendFileSync(join(kept, 'figures.txt'), `${figure}\n`);
      process.stdout.write(`${figure}\n`);
    },
    disk: (namespace, claim) => join(host.folder, 'claims', namespace, claim),
    output: (namespace, pod) => outputOf(join(host.folder, 'logs'), `${namespace}.${pod}`),
    async [Symbol.asyncDispose]() {
      await held.disposeAsync();
      ledger.killAll();
      cpSync(join(host.folder, 'logs'), join(kept, 'containers'), { recursive: true, force: true });
      cpSync(join(host.folder, 'containers.log'), join(kept, 'events.log'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const LEDGERS = ['runs', 'processes'];

/**
 * The ledger of the containers' processes, once those of a run that was killed are ended. Fails while another run uses
 * the folder. However this process ends, its containers do.
 */
function onlyRun(all: string): ProcessLedger {
  const [runs, processes] = LEDGERS.map((name) => new ProcessLedger(join(all, name))) as [ProcessLedger, ProcessLedger];
  // Each file of tests has a process of its own, below that of the run.
  const [other] = runs.running().filter((pid) => pid !== process.ppid);
  if (other !== undefined) throw new Error(`process ${other} runs make kubernetes in this checkout already`);
  runs.add(process.ppid);
  const left = processes.killAll();
  if (left > 0) process.stderr.write(`ended ${left} processes of containers that a killed run had left behind\n`);
  process.once('exit', () => processes.killAll());
  return processes;
}

function outputOf(logs: string, beginning: string): string {
  return readdirSync(logs)
    .filter((name) => name.startsWith(beginning))
    .map((name) => `=== ${name}\n${readFileSync(join(logs, name), 'utf8')}`)
    .join('\n');
}
