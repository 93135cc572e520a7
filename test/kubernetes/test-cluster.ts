import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { Helm } from './helm.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { startClusterDns } from './network/cluster-dns.ts';
import { makeBridge } from './network/pod-network.ts';
import { ServiceProxy } from './network/service-proxy.ts';
import type { ImageFolder } from './node/image.ts';
import { NodeAgent } from './node/node-agent.ts';
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
  /** The output of all containers whose pod's name begins so. */
  output(pod: string): string;
}

/** Needs root in a network namespace of its own (`make kubernetes`). */
export async function startTestCluster(): Promise<TestCluster> {
  const all = join(ROOT, '.cache/kubernetes');
  mkdirSync(all, { recursive: true });
  for (const name of readdirSync(all)) rmSync(join(all, name), { recursive: true, force: true });
  const folder = mkdtempSync(join(all, 'run-'));
  await using stack = new AsyncDisposableStack();
  await makeBridge();
  const plane: ControlPlane = stack.use(await startControlPlane(TOOLS, join(folder, 'control-plane')));
  const { api, kubeconfig } = plane;
  const services = new Map<string, any>();
  const images = new Map<string, ImageFolder>();
  const host = { api, images, services: () => services.values(), folder: join(folder, 'node') };
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
  follow('/api/v1/pods', (found) => agent.setPods(found));
  const held = stack.move();
  return {
    ...{ api, agent, proxy, images, folder, helm: new Helm(TOOLS, kubeconfig, folder) },
    output: (pod) => outputOf(join(host.folder, 'logs'), pod),
    async [Symbol.asyncDispose]() {
      await held.disposeAsync();
      const kept = join(ROOT, '.cache/kubernetes/last-run');
      cpSync(join(host.folder, 'logs'), join(kept, 'containers'), { recursive: true, force: true });
      cpSync(join(host.folder, 'containers.log'), join(kept, 'events.log'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function outputOf(logs: string, pod: string): string {
  return readdirSync(logs)
    .filter((name) => name.startsWith(pod))
    .map((name) => `=== ${name}\n${readFileSync(join(logs, name), 'utf8')}`)
    .join('\n');
}
