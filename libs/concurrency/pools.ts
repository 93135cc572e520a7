import type { PoolBudget, PoolName } from '#domain/pool.ts';
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

type Shape<K extends string> = Omit<FairPoolOptions<K>, 'clock' | 'budgetOf' | 'onWaited'>;

/**
 * The pools of one process, each under its name, so that operators see which is full and who fills it. Workspaces are
 * the tenants of every pool.
 */
export class Pools {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<PoolName, FairPool<never>>();

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  /**
   * Workspaces take turns, whatever other kinds of holders `maxOf` names. A second pool of a name takes the place of
   * the first.
   */
  open<K extends string = never>(pool: PoolName, shape: Shape<K | 'workspace'>): FairPool<K | 'workspace'> {
    const { clock, reporter, budgetOf } = this.#options;
    const { workspace, ...others } = shape.maxOf;
    const opened = new FairPool<K | 'workspace'>({
      ...{ ...shape, clock },
      maxOf: { workspace, ...others } as Shape<K | 'workspace'>['maxOf'],
      ...(budgetOf && { budgetOf }),
      ...(reporter && { onWaited: (waitedMs: number) => reporter.report('pool-permit-waited', { pool, waitedMs }) }),
    });
    this.#pools.set(pool, opened as unknown as FairPool<never>);
    return opened;
  }

  load(): readonly PoolLoad[] {
    return [...this.#pools].map(([pool, { permits, free, waiting }]) => ({
      ...{ pool, permits, waiting },
      held: permits - free,
    }));
  }

  /** By pool, the Workspaces that hold and wait for most, most first. */
  top(count: number): readonly (PoolLoad & { readonly workspaces: readonly TenantLoad[] })[] {
    return this.load().map((load) => ({ ...load, workspaces: this.#pools.get(load.pool)!.top(count) }));
  }
}
