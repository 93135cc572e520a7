import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { startCassandra, startKafka } from '#testing/engines.ts';
import { freePorts } from '#testing/engines/process.ts';
import { NO_LIMITS } from '../guarantees/sandbox-limits.ts';
import { watchFault, type Fault } from './fault.ts';
import { FAULTS, type FaultSeen } from './faults.ts';
import { settled, WATCHED_SETTINGS } from './installation.ts';
import { AlertWatch } from './alert-watch.ts';
import { startTraffic } from './traffic.ts';

const CORE = 'ingress,workspace,scheduler,media,webhooks,admin,sandbox';
const STARTS_WITHIN_MS = 300_000;

interface ClusterParts {
  readonly kafka: Awaited<ReturnType<typeof startKafka>>;
  readonly core: CrierUnderTest;
  readonly publisher: CrierUnderTest;
}

/** An installation on engines of its own, whose publishers are in a process of their own. */
export class WatchedCluster implements AsyncDisposable {
  readonly #parts: ClusterParts;
  readonly #ends: AsyncDisposableStack;

  private constructor(parts: ClusterParts, ends: AsyncDisposableStack) {
    this.#parts = parts;
    this.#ends = ends;
  }

  static async start(): Promise<WatchedCluster> {
    await using building = new AsyncDisposableStack();
    const kafka = await startKafka();
    building.defer(() => kafka.stop());
    const cassandra = await startCassandra();
    building.defer(() => cassandra.stop());
    const [api, admin, sandbox, ...others] = (await freePorts(6)) as [number, number, number, ...number[]];
    const env = {
      ...installationSettings({ kafka, cassandra }),
      ...WATCHED_SETTINGS,
      CRIER_SANDBOX_URL: `http://127.0.0.1:${sandbox}`,
      CRIER_MEDIA_URL: `http://127.0.0.1:${api}`,
    };
    const migrated = await runCrier(['migrate', '--engine=cluster'], env, { withinMs: STARTS_WITHIN_MS });
    if (migrated.code !== 0) throw new Error(`crier migrate: ${migrated.stderr}`);
    const core = building.use(
      await CrierUnderTest.make({
        ...{ name: 'core', engine: 'cluster', roles: CORE.split(','), env },
        ports: { api, admin, sandbox },
      }),
    );
    const publisher = building.use(
      await CrierUnderTest.make({
        ...{ name: 'publisher', engine: 'cluster', roles: ['publisher'], env, dataDir: core.dataDir },
        ports: { api: others[0]!, admin: others[1]!, sandbox: others[2]! },
      }),
    );
    await Promise.all([core.start(STARTS_WITHIN_MS), publisher.start(STARTS_WITHIN_MS)]);
    for (const network of ['x', 'threads'] as const) await core.sandbox().limits(network, NO_LIMITS[network]);
    const { apiKey, channels } = await foundWorkspace(core, 'a client', { credits: 100_000 });
    building.use(startTraffic(() => core.api(apiKey), Object.values(channels)));
    return new WatchedCluster({ kafka, core, publisher }, building.move());
  }

  publisherKilled(): Promise<FaultSeen> {
    const { publisher } = this.#parts;
    return this.#watch({
      ...FAULTS.publisherKilled,
      staysMs: 60_000,
      cause: async () => void (await publisher.kill()),
      remove: async () => void (await publisher.start(STARTS_WITHIN_MS)),
    });
  }

  /**
   * For longer than timers may be overdue. What Crier itself takes to find that Kafka is away, some 15 s, is not
   * shortened, and must stay shorter than the minute by which CrierRoleRunsNowhere waits longer than CrierLogAway.
   */
  kafkaStopped(): Promise<FaultSeen> {
    const { kafka } = this.#parts;
    return this.#watch({
      ...FAULTS.kafkaStopped,
      staysMs: 150_000,
      factor: 3,
      cause: () => kafka.kill('SIGKILL'),
      remove: () => kafka.restart(),
    });
  }

  /** By a Prometheus that has not seen the fault before: tickets look back over days. */
  async #watch(fault: Fault): Promise<FaultSeen> {
    const { core, publisher } = this.#parts;
    const processes = [
      { pod: 'core-0', adminPort: core.ports.admin },
      { pod: 'publisher-0', adminPort: publisher.ports.admin },
    ];
    await using watch = await AlertWatch.start(processes, fault.factor);
    await settled(core, watch, processes.length);
    return await watchFault(watch, fault);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#ends.disposeAsync();
  }
}
