import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf, type ClusterObject, type KubernetesApi } from '../kubernetes-api.ts';
import { PodRun, type PodHost } from './pod-run.ts';

const DEFAULT_GRACE_SECONDS = 30;

/**
 * The scheduler and the kubelets of a few nodes in one: pods without a node get one in turn, pods with one are run
 * here, as processes of this machine. What happened to containers is kept as lines.
 */
export class NodeAgent implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #api: KubernetesApi;
  readonly #nodes: readonly string[];
  readonly #host: PodHost;
  readonly #runs = new Map<string, PodRun>();
  readonly #ended = new Set<string>();
  readonly #ends = new Set<Promise<void>>();
  readonly #bound = new Set<string>();
  #cordoned: ReadonlySet<string> = new Set();
  #turn = 0;

  constructor(nodes: readonly string[], host: Omit<PodHost, 'told'>) {
    this.#api = host.api;
    this.#nodes = nodes;
    const file = join(host.folder, 'containers.log');
    this.#host = {
      ...host,
      told: (line) => {
        const at = new Date().toISOString().slice(11, 23);
        this.lines.push(`${at} ${line}`);
        appendFileSync(file, `${at} ${line}\n`);
      },
    };
  }

  async register(): Promise<void> {
    for (const [index, name] of this.#nodes.entries()) {
      const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${index + 1}` };
      await this.#api.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
      const capacity = { cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '100Gi' };
      const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'a test runs it' }];
      const status = { capacity, allocatable: capacity, conditions };
      await this.#api.patch(`/api/v1/nodes/${name}/status`, { status });
    }
  }

  /** Pods of the namespace that ended otherwise than they were asked to, or were killed. A Job may try again. */
  mishaps(namespace: string): readonly string[] {
    return this.lines.filter(
      (line) =>
        line.includes(` ${namespace}/`) &&
        /killed|probe of .* failed|ended by itself|error|waits:/.test(line) &&
        !line.includes('-migrate-'),
    );
  }

  /** Nodes that `kubectl cordon` has marked get no more pods. */
  setNodes(nodes: Iterable<ClusterObject>): void {
    this.#cordoned = new Set(
      [...nodes].filter(({ spec }) => spec?.unschedulable === true).map(({ metadata }) => metadata.name),
    );
  }

  setPods(pods: ReadonlyMap<string, ClusterObject>): void {
    const seen = new Set<string>();
    for (const pod of pods.values()) {
      const { uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
      seen.add(uid);
      if (deletionTimestamp !== undefined) this.#end(uid, pod, deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
      else if (pod.spec.nodeName === undefined) this.#bind(pod);
      else if (!this.#runs.has(uid) && !isOver(pod)) this.#runs.set(uid, new PodRun(pod, this.#host));
    }
    for (const [uid, run] of this.#runs) {
      if (seen.has(uid)) continue;
      this.#runs.delete(uid);
      this.#wait(run.force());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.#runs.values()) this.#wait(run.force());
    await Promise.all(this.#ends);
  }

  #end(uid: string, pod: ClusterObject, graceSeconds: number): void {
    if (this.#ended.has(uid)) return;
    this.#ended.add(uid);
    const run = this.#runs.get(uid);
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
    this.#wait(run?.end(graceSeconds) ?? this.#api.delete(path, { gracePeriodSeconds: 0, preconditions: { uid } }));
  }

  #bind(pod: ClusterObject): void {
    const { uid, name, namespace } = pod.metadata;
    if (this.#bound.has(uid)) return;
    this.#bound.add(uid);
    const open = this.#nodes.filter((name) => !this.#cordoned.has(name));
    const node = open[this.#turn++ % open.length];
    if (node === undefined) throw new Error('every node is cordoned');
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    this.#wait(
      this.#api.create(`/api/v1/namespaces/${namespace}/pods/${name}/binding`, body).then(
        () => undefined,
        (error: Error) => this.#host.told(`${keyOf(pod)}: not bound: ${error.message}`),
      ),
    );
  }

  #wait(work: Promise<void>): void {
    const waited = work
      .catch((error: Error) => this.#host.told(`error: ${error.stack}`))
      .finally(() => this.#ends.delete(waited));
    this.#ends.add(waited);
  }
}

function isOver({ status }: ClusterObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
