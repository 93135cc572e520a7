import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterObject, KubernetesApi } from '../kubernetes-api.ts';
import { GATEWAY } from '../network/addresses.ts';
import { attachPod, type PodNetwork } from '../network/pod-network.ts';
import { ContainerRun, type ContainerPlace } from './container-run.ts';
import type { EnvironmentSources } from './environment.ts';
import type { ImageFolder } from './image.ts';
import type { ProcessLedger } from './process-ledger.ts';
import { podConditions } from './pod-status.ts';
import { makeVolumes } from './volumes.ts';

/** What all pods of a node share. */
export interface PodHost {
  readonly api: KubernetesApi;
  /** By `registry/repository:tag`. */
  readonly images: ReadonlyMap<string, ImageFolder>;
  readonly services: () => Iterable<ClusterObject>;
  /** Roots, volumes and logs are below it. */
  readonly folder: string;
  readonly ledger: ProcessLedger;
  /** A line for each thing that happens to a container. */
  readonly told: (line: string) => void;
}

const RETRY_MS = 1_000;
const OF_THE_API = { gracePeriodSeconds: 0 };

/**
 * A pod on its node. Modes: *preparing* (its Secrets, volumes and images are looked for, again and again, as they may
 * come later), *running* (init containers in order, then all others), *over* (no container will start again), *ending*
 * (it was deleted: its containers get SIGTERM, and SIGKILL after the grace period; then the object is removed). Every
 * change is reported to the API server; a report that comes meanwhile waits for the one before it.
 */
export class PodRun {
  readonly #pod: ClusterObject;
  readonly #host: PodHost;
  readonly #folder: string;
  readonly #startedAt = new Date().toISOString();
  readonly #done: Promise<void>;
  #network: PodNetwork | null = null;
  #init: readonly ContainerRun[] = [];
  #main: readonly ContainerRun[] = [];
  #waitsFor = 'ContainerCreating';
  #isEnding = false;
  #isForced = false;
  #report: Promise<void> = Promise.resolve();
  #reportWaits = false;

  constructor(pod: ClusterObject, host: PodHost) {
    this.#pod = pod;
    this.#host = host;
    this.#folder = join(host.folder, 'pods', pod.metadata.uid);
    mkdirSync(this.#folder, { recursive: true });
    this.#done = this.#run().catch((error: Error) => this.#tell(`failed: ${error.stack ?? error.message}`));
  }

  /** Ends its containers in their grace period, and removes the object. */
  async end(graceSeconds: number): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    await Promise.all([...this.#init, ...this.#main].map((container) => container.end(graceSeconds * 1_000)));
    await this.#done;
    await this.#tellStatus();
    await this.#cleanUp();
    const { uid } = this.#pod.metadata;
    if (!this.#isForced) await this.#host.api.delete(this.#path, { ...OF_THE_API, preconditions: { uid } });
  }

  /** The object is gone: nobody is told any more. */
  async force(): Promise<void> {
    this.#isForced = true;
    for (const container of [...this.#init, ...this.#main]) container.kill();
    if (!this.#isEnding) await this.end(0);
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#pod.metadata.namespace}/pods/${this.#pod.metadata.name}`;
  }

  async #run(): Promise<void> {
    const { spec } = this.#pod;
    this.#network = await attachPod();
    const place = await this.#place(this.#network);
    if (place === null || this.#isEnding) return;
    this.#init = (spec.initContainers ?? []).map((container: any) => this.#container(container, place));
    this.#main = spec.containers.map((container: any) => this.#container(container, place));
    await this.#tellStatus();
    for (const container of this.#init) {
      await container.run();
      if (this.#isEnding || container.exitCode !== 0) return this.#tellStatus();
    }
    const deadline = spec.activeDeadlineSeconds as number | undefined;
    const late = deadline === undefined ? undefined : setTimeout(() => void this.#deadline(), deadline * 1_000);
    await Promise.all(this.#main.map((container) => container.run()));
    clearTimeout(late);
    await this.#tellStatus();
  }

  async #deadline(): Promise<void> {
    this.#tell('its deadline is over');
    await Promise.all(this.#main.map((container) => container.end(0)));
  }

  #container(spec: any, place: ContainerPlace): ContainerRun {
    return new ContainerRun(spec, place, {
      restarts: this.#isInit(spec) ? false : (this.#pod.spec.restartPolicy ?? 'Always') === 'Always',
      changed: () => void this.#tellStatus(),
      told: (line) => this.#tell(line),
    });
  }

  #isInit(spec: any): boolean {
    return (this.#pod.spec.initContainers ?? []).includes(spec);
  }

  /** Null: it was deleted while it waited. */
  async #place(network: PodNetwork): Promise<ContainerPlace | null> {
    const { images, services, folder, ledger } = this.#host;
    const sources: EnvironmentSources = {
      pod: this.#pod,
      podAddress: network.address,
      services: services(),
      keysOf: (kind, name) => this.#keysOf(kind, name),
    };
    while (!this.#isEnding) {
      try {
        for (const { image } of [...(this.#pod.spec.initContainers ?? []), ...this.#pod.spec.containers])
          if (!images.has(image)) throw new Error(`ErrImagePull: there is no image ${image}`);
        const volumes = await makeVolumes(join(this.#folder, 'volumes'), join(folder, 'claims'), sources);
        const logs = join(folder, 'logs');
        mkdirSync(logs, { recursive: true });
        return { pod: this.#pod, folder: this.#folder, logs, network, images, volumes, sources, ledger };
      } catch (error) {
        this.#waitsFor = (error as Error).message;
        this.#tell(`waits: ${this.#waitsFor}`);
        await this.#tellStatus();
        await sleep(RETRY_MS);
      }
    }
    return null;
  }

  async #keysOf(kind: 'secrets' | 'configmaps', name: string): Promise<Readonly<Record<string, string>>> {
    const { data = {} } = await this.#host.api.get(
      `/api/v1/namespaces/${this.#pod.metadata.namespace}/${kind}/${name}`,
    );
    if (kind === 'configmaps') return data;
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    );
  }

  async #cleanUp(): Promise<void> {
    await this.#network?.detach().catch((error: Error) => this.#tell(error.message));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #tell(line: string): void {
    this.#host.told(`${this.#pod.metadata.namespace}/${this.#pod.metadata.name}: ${line}`);
  }

  #tellStatus(): Promise<void> {
    if (this.#reportWaits || this.#isForced) return this.#report;
    this.#reportWaits = true;
    this.#report = this.#report.then(async () => {
      this.#reportWaits = false;
      await this.#host.api.patch(`${this.#path}/status`, { status: this.#status() }).catch((error: Error) => {
        if (!this.#isForced) this.#tell(`its status was not taken: ${error.message}`);
      });
    });
    return this.#report;
  }

  #status(): object {
    const statuses = (runs: readonly ContainerRun[], specs: readonly any[]): readonly object[] =>
      specs.map((spec, index) => runs[index]?.status() ?? waitingStatus(spec, this.#waitsFor));
    const { spec } = this.#pod;
    const address = this.#network?.address;
    return {
      phase: this.#phase(),
      startTime: this.#startedAt,
      hostIP: GATEWAY,
      ...(address !== undefined && { podIP: address, podIPs: [{ ip: address }] }),
      conditions: podConditions(this.#startedAt, this.#init, this.#main, spec.containers.length),
      initContainerStatuses: statuses(this.#init, spec.initContainers ?? []),
      containerStatuses: statuses(this.#main, spec.containers),
    };
  }

  #phase(): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
    if (this.#init.some(({ exitCode }) => exitCode !== null && exitCode !== 0)) return 'Failed';
    if (this.#main.length === 0 || this.#main.some(({ hasStarted }) => !hasStarted)) return 'Pending';
    if (this.#main.some(({ isOver }) => !isOver)) return 'Running';
    return this.#main.every(({ exitCode }) => exitCode === 0) ? 'Succeeded' : 'Failed';
  }
}

function waitingStatus({ name, image }: any, reason: string): object {
  const state = { waiting: { reason: reason.split(':')[0], message: reason } };
  return { name, image, imageID: '', ready: false, started: false, restartCount: 0, state };
}
