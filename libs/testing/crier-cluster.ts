import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Network } from '#domain/network.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { partitionOf } from '#ports/log.ts';
import { PUBLISH, shardOf, TIMERS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import type { AdminClient, ApiClient } from './crier-clients.ts';
import { CRIER, CrierUnderTest } from './crier-process.ts';
import type { CassandraAddress, KafkaAddress } from './engines.ts';
import { inheritedEnvironment } from './engines/environment.ts';
import { freePorts } from './engines/process.ts';
import { until } from './until.ts';

export interface ClusterInstallation {
  readonly kafka: KafkaAddress;
  readonly cassandra: CassandraAddress;
  /** The keyspace, and the prefix of the topics, which separate suites that share engines. Default: a new one. */
  readonly name?: string;
}

/**
 * Settings that make a process a part of the installation, and let scheduled work come due within seconds. Keys are not
 * limited: who waits on a slow machine asks more often.
 */
export function installationSettings({
  kafka,
  cassandra,
  name = `guarantee_${randomBytes(6).toString('hex')}`,
}: ClusterInstallation): Record<string, string> {
  return {
    CRIER_KAFKA_BROKERS: kafka.brokers.join(','),
    CRIER_KAFKA_TOPIC_PREFIX: `${name}.`,
    CRIER_CASSANDRA_CONTACT_POINTS: cassandra.contactPoints.map((host) => `${host}:${cassandra.port}`).join(','),
    CRIER_CASSANDRA_KEYSPACE: name,
    CRIER_ADMIN_TOKEN: randomBytes(16).toString('hex'),
    CRIER_SECRET: randomBytes(24).toString('hex'),
    CRIER_EARLIEST_SCHEDULE_SECONDS: '0',
    CRIER_NETWORK_BUDGETS: 'off',
    CRIER_REQUESTS_PER_MINUTE: '0',
  };
}

export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `bin/crier ...args` with these settings to its end; `crier`: that of another release. */
export function runCrier(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  { withinMs = 300_000, crier = CRIER }: { readonly withinMs?: number; readonly crier?: string } = {},
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    execFile(
      crier,
      [...args],
      { env: { ...inheritedEnvironment(), ...settings }, timeout: withinMs, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
      },
    );
  });
}

/** A Workspace with a key of its own and a Channel on each Network. */
export interface Tenant {
  readonly workspaceId: string;
  readonly apiKey: string;
  readonly channels: Readonly<Record<'x' | 'threads', string>>;
}

export type Consumer = 'workspace' | 'scheduler' | 'publisher-x' | 'publisher-threads';
/** The consumers whose work is distributed by something other than Workspace or Channel. */
export type AnyConsumer = Consumer | 'media';

/** The partition of a consumer's topic that carries this tenant's work. */
export function partitionOfTenant(
  consumer: Consumer,
  tenant: Tenant,
): { readonly topic: string; readonly partition: number } {
  if (consumer === 'workspace')
    return {
      topic: WORKSPACE_COMMANDS.name,
      partition: partitionOf(tenant.workspaceId, WORKSPACE_COMMANDS.partitions),
    };
  if (consumer === 'scheduler') return { topic: TIMERS.name, partition: shardOf(tenant.workspaceId) };
  const network: Network = consumer === 'publisher-x' ? 'x' : 'threads';
  const { name, partitions } = PUBLISH[network];
  return { topic: name, partition: partitionOf(tenant.channels[network as 'x' | 'threads'], partitions) };
}

/** The report of `system.status` on one consumer of a process. */
export interface Work {
  readonly owned: ReadonlySet<number>;
  readonly waiting: number;
}

/**
 * An installation on real engines, with each role in processes of its own: two for each role that shares its work, one
 * sandbox, one admin. The processes that share work also serve admin's procedures, so that each reports which
 * partitions it owns. Those that use files share a folder for them; Networks fetch files from the first ingress, whose
 * address is the same after restarts.
 */
export class CrierCluster {
  readonly settings: Readonly<Record<string, string>>;
  readonly sandbox: CrierUnderTest;
  readonly admin: CrierUnderTest;
  readonly ingresses: readonly CrierUnderTest[];
  readonly workspaces: readonly CrierUnderTest[];
  readonly schedulers: readonly CrierUnderTest[];
  readonly publishers: readonly CrierUnderTest[];

  readonly #files: string;

  private constructor(settings: Readonly<Record<string, string>>, made: readonly CrierUnderTest[], files: string) {
    const named = (name: string): CrierUnderTest[] => made.filter((process) => process.name.startsWith(name));
    this.settings = settings;
    this.#files = files;
    [this.sandbox, this.admin] = [named('sandbox')[0]!, named('admin')[0]!];
    [this.ingresses, this.workspaces, this.schedulers, this.publishers] = [
      named('ingress'),
      named('workspace'),
      named('scheduler'),
      named('publisher'),
    ];
  }

  /** Needs an installation that was migrated. Resolves when every process is ready and the partitions are assigned. */
  static async start(installation: Readonly<Record<string, string>>): Promise<CrierCluster> {
    const roles = ['ingress', 'workspace,admin', 'scheduler,admin', 'publisher,media,webhooks,admin'].flatMap(
      (role) => [role, role],
    );
    const all = ['sandbox', 'admin', ...roles];
    // All at once and below the range of outgoing connections: a port that is chosen at a start may be taken by then.
    const [sandboxPort, filesPort, ...others] = (await freePorts(2 + 3 * all.length)) as [number, number, ...number[]];
    const settings = {
      ...installation,
      CRIER_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
      CRIER_MEDIA_URL: `http://127.0.0.1:${filesPort}`,
    };
    const files = mkdtempSync(join(tmpdir(), 'crier-test-files-'));
    const make = (role: string, index: number): Promise<CrierUnderTest> => {
      const name = `${role.split(',')[0]}-${1 + (index % 2)}`;
      const [api, admin, sandbox] = others.slice(3 * index) as [number, number, number];
      const ports = {
        api: name === 'ingress-1' ? filesPort : api,
        admin,
        sandbox: role === 'sandbox' ? sandboxPort : sandbox,
      };
      const folder = role === 'ingress' || role.includes('media') ? { dataDir: files } : {};
      return CrierUnderTest.make({ name, engine: 'cluster', roles: role.split(','), ports, ...folder, env: settings });
    };
    const cluster = new CrierCluster(settings, await Promise.all(all.map(make)), files);
    await Promise.all(cluster.all.map((process) => process.start(120_000)));
    await cluster.sharedOut();
    return cluster;
  }

  get all(): readonly CrierUnderTest[] {
    return [this.sandbox, this.admin, ...this.ingresses, ...this.workspaces, ...this.schedulers, ...this.publishers];
  }

  /** The processes that read as this consumer. */
  readersOf(consumer: AnyConsumer): readonly CrierUnderTest[] {
    return consumer === 'workspace' ? this.workspaces : consumer === 'scheduler' ? this.schedulers : this.publishers;
  }

  async workOf(process: CrierUnderTest, consumer: AnyConsumer): Promise<Work> {
    const { consumers } = await process.admin().call('system.status');
    const found: { readonly partitions: Readonly<Record<string, readonly number[]>>; readonly waiting: number } =
      consumers.find(({ name }: { name: string }) => name === consumer);
    return { owned: new Set(Object.values(found.partitions).flat()), waiting: found.waiting };
  }

  /** The one process that reports to own the partition that carries this tenant's work. */
  async ownerOf(consumer: Consumer, tenant: Tenant): Promise<CrierUnderTest> {
    return this.holderOf(consumer, partitionOfTenant(consumer, tenant).partition);
  }

  /** The one process that reports to own the partition. */
  async holderOf(consumer: AnyConsumer, partition: number): Promise<CrierUnderTest> {
    return until(
      async () => {
        const readers = this.readersOf(consumer).filter((process) => process.pid !== null);
        const works = await Promise.all(readers.map((process) => this.workOf(process, consumer)));
        const owners = readers.filter((_, index) => works[index]!.owned.has(partition));
        return owners.length === 1 ? owners[0]! : null;
      },
      { what: `one owner of ${consumer}'s partition ${partition}`, withinMs: 180_000, everyMs: 100 },
    );
  }

  /** Resolves when every reader owns its share, and no partition has two owners. */
  async sharedOut(withinMs = 240_000): Promise<void> {
    const consumers: Consumer[] = ['workspace', 'scheduler', 'publisher-x', 'publisher-threads'];
    const shared = async (consumer: Consumer): Promise<boolean> => {
      const [one, other] = await Promise.all(this.readersOf(consumer).map((process) => this.workOf(process, consumer)));
      const all = consumer.startsWith('publisher') ? PUBLISH.x.partitions : WORKSPACE_COMMANDS.partitions;
      return (
        one!.owned.size > 0 &&
        other!.owned.size > 0 &&
        new Set([...one!.owned, ...other!.owned]).size === all &&
        one!.owned.size + other!.owned.size === all
      );
    };
    await Promise.all(
      consumers.map((consumer) =>
        until(() => shared(consumer), { what: `${consumer}: its partitions assigned`, withinMs, everyMs: 100 }),
      ),
    );
  }

  async ready(withinMs = 240_000): Promise<void> {
    const ready = async (process: CrierUnderTest): Promise<boolean> => {
      if (process.pid === null) return true;
      return (await process.admin().get('/health/ready')).status === 200;
    };
    await Promise.all(
      this.all.map((process) => until(() => ready(process), { what: `${process.name} ready`, withinMs, everyMs: 100 })),
    );
    for (const process of this.all)
      if (process.pid === null)
        throw new Error(`${process.name} has ended by itself\n${process.output().slice(-3_000)}`);
  }

  found(name: string): Promise<Tenant> {
    return foundTenant(this.admin.admin(), name);
  }

  api(tenant: Tenant, ingress = 0): ApiClient {
    return this.ingresses[ingress]!.api(tenant.apiKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((process) => process[Symbol.asyncDispose]()));
    rmSync(this.#files, { recursive: true, force: true });
  }
}

/** A new Workspace with credits, a key with all permissions, and two Channels. */
export async function foundTenant(admin: AdminClient, name: string): Promise<Tenant> {
  // The first commands of a cluster that has just started, on a busy machine, may exceed their deadline. A Workspace
  // that was made all the same stays empty.
  const { workspaceId, memberId } = await until(
    () => admin.call('workspaces.create', { name, ownerEmail: `${name}@example.test`, plan: 'agency' }),
    { what: `${name} made`, withinMs: 180_000 },
  );
  await admin.call('workspaces.addCredits', { workspaceId, credits: 100_000 });
  const { apiKey } = await admin.call('keys.create', {
    workspaceId,
    memberId,
    name: 'test',
    permissions: [...PERMISSIONS],
  });
  const connect = async (network: Network): Promise<string> =>
    (await admin.call('channels.connectSandbox', { workspaceId, network, name: `${name} on ${network}` })).channelId;
  return { workspaceId, apiKey, channels: { x: await connect('x'), threads: await connect('threads') } };
}
