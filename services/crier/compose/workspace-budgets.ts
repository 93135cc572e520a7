import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { poolBudgetOf, type PoolBudget } from '#domain/pool.ts';
import type { PlanName } from '#domain/plan/plan.ts';
import { PortError } from '#ports/errors.ts';
import type { Clock } from '#ports/clock.ts';

export interface WorkspaceBudgetsOptions {
  /** Its Plan, and the account of its owner; null: there is no such Workspace. Rejects with `PortError`. */
  readonly find: (workspaceId: string) => Promise<{ readonly plan: PlanName; readonly owner: string | null } | null>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

const MAX_REMEMBERED = 10_000;
/** A Plan that was changed counts this much later, and an owner. */
const MAX_AGE_MS = 60_000;
const UNKNOWN = poolBudgetOf('free', null);

/**
 * What the Plans of Workspaces give them of each pool, and whose they are. Whoever asks for a permit does not wait for
 * the store: until its Plan is read, a Workspace has the budget of the smallest, and while the store is away the one
 * that was known.
 */
export class WorkspaceBudgets {
  readonly #options: WorkspaceBudgetsOptions;
  readonly #known = createBoundedMap<string, { readonly budget: PoolBudget; readonly readAt: number }>(MAX_REMEMBERED);

  constructor(options: WorkspaceBudgetsOptions) {
    this.#options = options;
  }

  budgetOf(workspaceId: string): PoolBudget {
    const now = this.#options.clock.monotonic();
    const known = this.#known.get(workspaceId);
    const budget = known?.budget ?? UNKNOWN;
    if (known !== undefined && now - known.readAt < MAX_AGE_MS) return budget;
    // Also where the read fails: it is tried again no sooner.
    this.#known.set(workspaceId, { budget, readAt: now });
    void this.#read(workspaceId, now);
    return budget;
  }

  async #read(workspaceId: string, readAt: number): Promise<void> {
    try {
      const found = await this.#options.find(workspaceId);
      if (found !== null) this.#known.set(workspaceId, { budget: poolBudgetOf(found.plan, found.owner), readAt });
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
    }
  }
}
