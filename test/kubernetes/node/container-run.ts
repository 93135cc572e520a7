import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterObject } from '../kubernetes-api.ts';
import { resolverOf } from '../network/cluster-dns.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import { ContainerProcess } from './container-process.ts';
import { environmentOf, expand, type EnvironmentSources } from './environment.ts';
import type { ImageFolder } from './image.ts';
import { makeControlGroup } from './control-group.ts';
import type { ProcessLedger } from './process-ledger.ts';
import { probePlan, repeatProbe } from './probe.ts';
import type { RootPlan } from './root-script.ts';

/** Where a container runs, and from what. */
export interface ContainerPlace {
  readonly pod: ClusterObject;
  readonly folder: string;
  readonly logs: string;
  readonly network: PodNetwork;
  readonly images: ReadonlyMap<string, ImageFolder>;
  readonly volumes: ReadonlyMap<string, string>;
  readonly sources: EnvironmentSources;
  readonly ledger: ProcessLedger;
}

export interface ContainerHooks {
  /** Whether it is started again when it ends. */
  readonly restarts: boolean;
  readonly changed: () => void;
  readonly told: (line: string) => void;
}

const BACKOFF_MS = 2_000;
/** As container runtimes set it for a user that the image does not know; clients of stores look for settings there. */
const HOME = '/';

/**
 * A container over its restarts. Modes: *waiting* (for its first start, or the next), *running* (its process exists,
 * and its probes are asked), *over* (it will not start again).
 */
export class ContainerRun {
  exitCode: number | null = null;
  hasStarted = false;
  isOver = false;
  isReady = false;
  readySince = new Date().toISOString();
  readonly #spec: any;
  readonly #place: ContainerPlace;
  readonly #hooks: ContainerHooks;
  #process: ContainerProcess | null = null;
  #isEnding = false;
  #restarts = 0;
  #passedStartup = false;
  #state: object = { waiting: { reason: 'PodInitializing' } };

  constructor(spec: any, place: ContainerPlace, hooks: ContainerHooks) {
    this.#spec = spec;
    this.#place = place;
    this.#hooks = hooks;
  }

  /** Resolves when it is over. */
  async run(): Promise<void> {
    while (!this.#isEnding) {
      await this.#once();
      if (!this.#hooks.restarts || this.#isEnding) break;
      this.#restarts++;
      this.#state = { waiting: { reason: 'CrashLoopBackOff', message: `it ended with ${this.exitCode}` } };
      this.#hooks.changed();
      await sleep(BACKOFF_MS);
    }
    this.isOver = true;
    this.#hooks.changed();
  }

  async end(graceMs: number): Promise<void> {
    this.#isEnding = true;
    if (this.#process === null) return;
    const { killed, code } = await this.#process.end(graceMs);
    this.#hooks.told(`${this.#spec.name} ended with ${code}${killed ? ', killed' : ''}`);
  }

  kill(): void {
    this.#isEnding = true;
    this.#process?.kill();
  }

  status(): object {
    const { name, image } = this.#spec;
    return {
      ...{ name, image, imageID: image, ready: this.isReady, started: this.#passedStartup },
      ...{ restartCount: this.#restarts, state: this.#state },
    };
  }

  async #once(): Promise<void> {
    const { told, changed } = this.#hooks;
    const { network, logs, pod, ledger } = this.#place;
    const plan = await this.#plan();
    // It may have been deleted meanwhile.
    if (this.#isEnding) return;
    const logFile = join(logs, `${pod.metadata.namespace}.${pod.metadata.name}.${this.#spec.name}.log`);
    writeFileSync(logFile, `--- start ${this.#restarts}\n`, { flag: 'a' });
    const process = new ContainerProcess(plan, { network: network.name, logFile, ledger });
    this.#process = process;
    const startedAt = new Date().toISOString();
    this.hasStarted = true;
    this.#state = { running: { startedAt } };
    told(`${this.#spec.name} started`);
    changed();
    const probes = new AbortController();
    void this.#probe(process, probes.signal).catch((error: Error) => told(error.message));
    const { code } = await process.ended;
    probes.abort();
    this.#process = null;
    this.exitCode = code;
    this.#setReady(false);
    this.#passedStartup = false;
    const reason = code === 0 ? 'Completed' : 'Error';
    this.#state = { terminated: { exitCode: code, reason, startedAt, finishedAt: new Date().toISOString() } };
    if (plan.controlGroup !== null) removeGroup(plan.controlGroup);
    if (!this.#isEnding && code !== 0) told(`${this.#spec.name} ended by itself with ${code}`);
  }

  async #probe(process: ContainerProcess, signal: AbortSignal): Promise<void> {
    const { address } = this.#place.network;
    const { startupProbe, livenessProbe, readinessProbe, ports = [] } = this.#spec;
    const restart = (which: string, why: string): void => {
      this.#hooks.told(`${which} probe of ${this.#spec.name} failed: ${why}`);
      void process.end(this.#place.pod.spec.terminationGracePeriodSeconds * 1_000);
    };
    const startup = probePlan(startupProbe, ports);
    if (startup !== null) await passes(address, startup, signal, (why) => restart('startup', why));
    if (signal.aborted) return;
    this.#passedStartup = true;
    const readiness = probePlan(readinessProbe, ports);
    const liveness = probePlan(livenessProbe, ports);
    this.#setReady(readiness === null);
    this.#hooks.changed();
    await Promise.all([
      readiness === null ? null : repeatProbe(address, readiness, signal, (good) => this.#setReady(good)),
      liveness === null
        ? null
        : repeatProbe(address, liveness, signal, (good, why) => {
            if (!good) restart('liveness', why);
          }),
    ]);
  }

  #setReady(isReady: boolean): void {
    if (this.isReady === isReady) return;
    this.isReady = isReady;
    this.readySince = new Date().toISOString();
    this.#hooks.told(`${this.#spec.name} is ${isReady ? 'ready' : 'not ready'}`);
    this.#hooks.changed();
  }

  async #plan(): Promise<RootPlan> {
    const { pod, folder, images, volumes, sources } = this.#place;
    const image = images.get(this.#spec.image)!;
    const security = { ...pod.spec.securityContext, ...this.#spec.securityContext };
    const { runAsUser = 0, runAsGroup = 0, fsGroup } = security;
    if (security.runAsNonRoot === true && runAsUser === 0) throw new Error('it must not run as root, and would');
    const env = { HOSTNAME: pod.metadata.name, ...(await environmentOf(this.#spec, sources)) };
    const { command = image.entrypoint, workingDir = image.workingDirectory } = this.#spec;
    const args = this.#spec.args ?? (this.#spec.command === undefined ? image.command : []);
    const root = join(folder, `root-${this.#spec.name}`);
    mkdirSync(root, { recursive: true });
    const mounts = ((this.#spec.volumeMounts ?? []) as readonly any[]).map(({ name, mountPath, readOnly = false }) => {
      const from = volumes.get(name);
      if (from === undefined) throw new Error(`the pod has no volume ${name}`);
      return { from, at: mountPath as string, readOnly: readOnly as boolean };
    });
    return {
      root,
      mounts: [...image.mounts, ...mounts],
      readOnlyRoot: security.readOnlyRootFilesystem === true,
      user: runAsUser,
      group: runAsGroup,
      supplementaryGroups: fsGroup === undefined ? [] : [fsGroup],
      noNewPrivileges: security.allowPrivilegeEscalation === false,
      noCapabilities: (security.capabilities?.drop ?? []).includes('ALL'),
      hostname: pod.metadata.name,
      resolver: resolverOf(pod.metadata.namespace!),
      controlGroup: makeControlGroup(`${pod.metadata.uid}-${this.#spec.name}`, this.#spec.resources?.limits?.memory),
      workingDirectory: workingDir,
      env: { HOME, ...image.env, ...env },
      command: [...command, ...args].map((word: string) => expand(word, env)),
    };
  }
}

/** Resolves once the probe succeeds, or at the signal. */
function passes(
  address: string,
  plan: NonNullable<ReturnType<typeof probePlan>>,
  signal: AbortSignal,
  onFailure: (why: string) => void,
): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  return repeatProbe(address, plan, either, (good, why) => {
    if (good) over.abort();
    else onFailure(why);
  });
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The kernel still counts a process that has ended; an empty group costs nothing.
  }
}
