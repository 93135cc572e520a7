import { until } from '#testing/until.ts';
import { KubernetesRefusal, type ClusterObject, type KubernetesApi } from './kubernetes-api.ts';

const TOO_MANY_REQUESTS = 429;

/**
 * What `kubectl drain` does: the node gets no more pods, and those on it are evicted, again and again as long as a
 * PodDisruptionBudget refuses. Resolves when all have ended; with how many there were, and how often one was refused.
 */
export async function drainNode(
  api: KubernetesApi,
  { node, namespace, withinMs }: { readonly node: string; readonly namespace: string; readonly withinMs: number },
): Promise<{ readonly pods: number; readonly refusals: number }> {
  await api.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: true } });
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const there = async (): Promise<readonly ClusterObject[]> =>
    (await api.list(path)).filter(({ spec, status }) => spec.nodeName === node && status.phase === 'Running');
  let refusals = 0;
  const evict = async ({ metadata: { name } }: ClusterObject): Promise<void> => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    await api.create(`${path}/${name}/eviction`, eviction).catch((error: unknown) => {
      if (!(error instanceof KubernetesRefusal)) throw error;
      if (error.status === TOO_MANY_REQUESTS) refusals++;
      else if (error.status !== 404) throw error;
    });
  };
  const before = await there();
  await until(
    async () => {
      const left = await there();
      const asked = left.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      for (const pod of asked) await evict(pod);
      if (left.length === 0) return true;
      throw new Error(`left: ${left.map(({ metadata }) => metadata.name).join(', ')}; ${refusals} refusals`);
    },
    { what: `${node} drained`, withinMs, everyMs: 1_000 },
  );
  return { pods: before.length, refusals };
}

/** What `kubectl uncordon` does. */
export async function uncordon(api: KubernetesApi, node: string): Promise<void> {
  await api.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: null } });
}
