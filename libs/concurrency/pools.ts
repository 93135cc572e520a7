import type { PoolBudget, PoolName, PoolOfClients, PoolOfWorkspaces } from '#domain/pool.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { FairPool, type FairPoolOptions, type TenantLoad } from './fair-pool.ts';

export interface PoolsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Left out: what waits is not reported. */
  readonly reporter?: Pick<Reporter, 'report'>;
  /** Of a Workspace; the same for all when left out. */
  readonly budgetOf?: (workspaceId: string) => PoolBudget;
}

export interface PoolLoad {
  readonly pool: PoolName;
  readonly permits: number;
  readonly held: number;
  readonly waiting: number;
}

export interface PoolTop extends PoolLoad {
  /** What takes turns there. */
  readonly tenants: 'workspaces' | 'clients';
  /** Those that hold and wait for most, most first. */
  readonly top: readonly TenantLoad[];
}

type Shape<K extends string> = Omit<FairPoolOptions<K>, 'clock' | 'budgetOf' | 'onWaited'>;

interface OpenedPool {
  readonly tenants: PoolTop['tenants'];
  readonly pool: Pick<FairPool<never>, 'permits' | 'free' | 'waiting' | 'top'>;
}

/** The pools of one process, each under its name, so that operators see which is full and who fills it. */
export class Pools {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<PoolName, OpenedPool>();

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  /**
   * Workspaces take turns, whatever other kinds of holders `maxOf` names. A second pool of a name takes the place of
   * the first.
   */
  open<K extends string = never>(name: PoolOfWorkspaces, shape: Shape<K | 'workspace'>): FairPool<K | 'workspace'> {
    const { budgetOf } = this.#options;
    const { workspace, ...others } = shape.maxOf;
    const pool = new FairPool<K | 'workspace'>({
      ...{ ...shape, ...this.#shared(name) },
      maxOf: { workspace, ...others } as Shape<K | 'workspace'>['maxOf'],
      ...(budgetOf && { budgetOf }),
    });
    this.#pools.set(name, { tenants: 'workspaces', pool });
    return pool;
  }

  /** The addresses of clients take turns, all alike: who is not known yet has no Plan. */
  openForClients(name: PoolOfClients, shape: Shape<'client'>): FairPool<'client'> {
    const pool = new FairPool<'client'>({ ...shape, ...this.#shared(name) });
    this.#pools.set(name, { tenants: 'clients', pool });
    return pool;
  }

  /** Who is one with the Workspace in its turns: an account, or itself. */
  accountOf(workspaceId: string): string {
    return this.#options.budgetOf?.(workspaceId).account ?? workspaceId;
  }

  load(): readonly PoolLoad[] {
    return [...this.#pools].map(([name, { pool }]) => loadOf(name, pool));
  }

  top(count: number): readonly PoolTop[] {
    return [...this.#pools].map(([name, { tenants, pool }]) => ({
      ...loadOf(name, pool),
      ...{ tenants, top: pool.top(count) },
    }));
  }

  #shared(pool: PoolName): Pick<FairPoolOptions<never>, 'clock' | 'onWaited'> {
    const { clock, reporter } = this.#options;
    if (reporter === undefined) return { clock };
    return { clock, onWaited: (waitedMs) => reporter.report('pool-permit-waited', { pool, waitedMs }) };
  }
}

function loadOf(pool: PoolName, { permits, free, waiting }: OpenedPool['pool']): PoolLoad {
  return { pool, permits, held: permits - free, waiting };
}
