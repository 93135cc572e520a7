import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { CutProxy } from '#testing/cut-proxy.ts';
import { startRing, type CassandraRing } from '#testing/engines/cassandra-ring.ts';
import { startBrokers, type KafkaBrokers } from '#testing/engines/kafka-brokers.ts';
import { freePorts } from '#testing/engines/process.ts';
import { SmallDisk } from '#testing/small-disk.ts';
import { SteeredClock } from '#testing/steered-clock.ts';

/** A process of Crier that faults are made for. */
export interface Victim {
  readonly process: CrierUnderTest;
  /** Its way to each broker. */
  readonly toBrokers: readonly CutProxy[];
  /** Null where no clock can be steered. */
  readonly clock: SteeredClock | null;
}

/**
 * Three brokers, three nodes, two ingresses and two workers, which have every other role. Each of these processes has a
 * way of its own to each broker, all share one to each node, and each way can be cut. The sandbox, which is the truth
 * about the Networks, is in a process that no fault is made for.
 */
export interface Installation extends AsyncDisposable {
  readonly kafka: KafkaBrokers;
  readonly cassandra: CassandraRing;
  readonly toNodes: readonly CutProxy[];
  readonly ingresses: readonly Victim[];
  readonly workers: readonly Victim[];
  /** Sandbox and admin procedures. */
  readonly truth: CrierUnderTest;
  /** Those of the first broker and the first node; null where no disk can be mounted. */
  readonly disks: { readonly kafka: SmallDisk | null; readonly cassandra: SmallDisk | null };
}

const MACHINES = 3;
const VICTIMS = ['ingress-1', 'ingress-2', 'worker-1', 'worker-2'] as const;
const WORKER_ROLES = ['workspace', 'scheduler', 'publisher', 'media', 'webhooks', 'admin'];
const READY_MS = 180_000;
const MIGRATED_MS = 300_000;

/** How the processes that faults are made for differ from the others. */
export interface VictimOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** In place of `crier start`. */
  readonly program?: readonly string[];
}

/** `settings`: further ones, of every process. Resolves when all is ready. */
export async function startInstallation(
  settings: Readonly<Record<string, string>>,
  options: VictimOptions = {},
): Promise<Installation> {
  await using made = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'crier-history-'));
  made.defer(() => rmSync(folder, { recursive: true, force: true }));
  const disks = { kafka: await smallDisk(folder, 'kafka'), cassandra: await smallDisk(folder, 'cassandra') };
  for (const disk of Object.values(disks)) if (disk !== null) made.defer(() => disk.unmount());

  const [kafka, cassandra] = await Promise.all([
    startBrokers(MACHINES, { ways: VICTIMS.length, prepare: onDisk(disks.kafka, ['data']) }),
    startRing(MACHINES, { toldAddress, prepare: onDisk(disks.cassandra, ['data', 'commitlog']) }),
  ]);
  made.defer(async () => void (await Promise.all([kafka.stop(), cassandra.stop()])));
  const toNodes = await Promise.all(
    cassandra.addresses.map((host, index) =>
      CutProxy.start({ host: toldAddress(index), port: cassandra.port }, { host, port: cassandra.port }),
    ),
  );
  for (const proxy of toNodes) made.use(proxy);

  const [sandboxPort, ...ports] = (await freePorts(2 + 3 * (VICTIMS.length + 1))) as [number, ...number[]];
  const env = {
    ...installationSettings({ kafka, cassandra }),
    CRIER_KAFKA_REPLICATION: '3',
    CRIER_CASSANDRA_REPLICATION: '3',
    CRIER_REQUESTS_PER_MINUTE: '0',
    CRIER_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
    CRIER_MEDIA_URL: `http://127.0.0.1:${ports[3]!}`,
    ...settings,
  };
  const migrated = await runCrier(['migrate', '--engine=cluster'], env, { withinMs: MIGRATED_MS });
  if (migrated.code !== 0) throw new Error(`crier migrate: ${migrated.stdout}${migrated.stderr}`);

  const portsOf = (index: number) => {
    const [api, admin, sandbox] = ports.slice(3 * index) as [number, number, number];
    return { api, admin, sandbox: index === 0 ? sandboxPort : sandbox };
  };
  const dataDir = join(folder, 'files');
  const truth = await CrierUnderTest.make({
    ...{ name: 'truth', engine: 'cluster', roles: ['sandbox', 'admin'], env },
    ports: portsOf(0),
  });
  made.use(truth);
  const victims = await Promise.all(
    VICTIMS.map(async (name, index): Promise<Victim> => {
      const toBrokers = await Promise.all(
        kafka.ways[index]!.map(({ port, toldPort }) =>
          CutProxy.start({ host: '127.0.0.1', port: toldPort }, { host: '127.0.0.1', port }),
        ),
      );
      for (const proxy of toBrokers) made.use(proxy);
      const clock = SteeredClock.make();
      if (clock !== null) made.use(clock);
      const brokers = kafka.ways[index]!.map(({ toldPort }) => `127.0.0.1:${toldPort}`).join();
      const process = await CrierUnderTest.make({
        ...{ name, engine: 'cluster', dataDir, ports: portsOf(1 + index) },
        roles: name.startsWith('ingress') ? ['ingress'] : WORKER_ROLES,
        env: { ...env, ...clock?.env, ...options.env, CRIER_KAFKA_BROKERS: brokers },
        ...(options.program && { program: options.program }),
      });
      made.use(process);
      return { process, toBrokers, clock };
    }),
  );
  await Promise.all([truth, ...victims.map(({ process }) => process)].map((process) => process.start(READY_MS)));
  const all = made.move();
  return {
    ...{ kafka, cassandra, toNodes, truth, disks },
    ingresses: victims.slice(0, 2),
    workers: victims.slice(2),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Where clients find a node: an address of this machine that the node itself does not use. */
function toldAddress(index: number): string {
  return `127.0.1.${index + 1}`;
}

function smallDisk(folder: string, engine: 'kafka' | 'cassandra'): Promise<SmallDisk | null> {
  const path = join(folder, engine);
  mkdirSync(path);
  return SmallDisk.mount(path, '400m');
}

/** Has the first machine keep these folders on the disk. */
function onDisk(disk: SmallDisk | null, folders: readonly string[]) {
  return async (folder: string, index: number): Promise<void> => {
    if (disk === null || index !== 0) return;
    for (const name of folders) {
      mkdirSync(join(disk.path, name));
      symlinkSync(join(disk.path, name), join(folder, name));
    }
  };
}
