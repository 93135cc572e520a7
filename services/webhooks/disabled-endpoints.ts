import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { FailingEndpoint, FailingEndpoints } from '#tables/repositories/failing-endpoints.ts';

export interface DisabledEndpointsOptions {
  readonly failing: Pick<FailingEndpoints, 'find' | 'disable' | 'clear'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly reporter: Reporter;
  /** Has the people told who can mend the endpoint. Returns at once, and never throws. */
  readonly tell: (disabled: FailingEndpoint) => void;
}

/** How long an answer is given again: as long as an endpoint that another process disabled may still be sent to. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 50_000;

/**
 * Endpoints that nothing is sent to because all attempts failed for days: enabled -> disabled, once, by the process
 * whose write comes first, which also tells; disabled -> enabled when somebody asks for a test event or a replay.
 */
export class DisabledEndpoints {
  readonly #options: DisabledEndpointsOptions;
  readonly #remembered = createBoundedMap<string, { readonly isDisabled: boolean; readonly until: number }>(
    MAX_REMEMBERED,
  );

  constructor(options: DisabledEndpointsOptions) {
    this.#options = options;
  }

  /** Rejects with `PortError`. */
  async has(endpointId: string): Promise<boolean> {
    const known = this.#remembered.get(endpointId);
    if (known !== undefined && known.until > this.#options.clock.monotonic()) return known.isDisabled;
    const found = await this.#options.failing.find(endpointId);
    return this.#remember(endpointId, found?.disabledAt !== undefined);
  }

  /** Rejects with `PortError`; then it may be disabled, and nobody was told. */
  async disable(about: FailingEndpoint): Promise<void> {
    const { failing, clock, reporter, tell } = this.#options;
    const disabled = { ...about, disabledAt: clock.now() };
    const isFirst = await failing.disable(disabled);
    this.#remember(about.endpointId, true);
    if (!isFirst) return;
    const { workspaceId, endpointId, since, error } = about;
    reporter.report('webhook-endpoint-disabled', { workspaceId, endpointId, failingMs: clock.now() - since, error });
    tell(disabled);
  }

  /**
   * Whether it was disabled. Never by what is remembered: another process may have disabled it a moment ago, and nobody
   * would ask again. Rejects with `PortError`.
   */
  async enable(endpointId: string): Promise<boolean> {
    const { failing } = this.#options;
    const found = await failing.find(endpointId);
    const isDisabled = found?.disabledAt !== undefined;
    if (isDisabled) await failing.clear(endpointId);
    this.#remember(endpointId, false);
    return isDisabled;
  }

  #remember(endpointId: string, isDisabled: boolean): boolean {
    const until = this.#options.clock.monotonic() + REMEMBERED_MS;
    this.#remembered.set(endpointId, { isDisabled, until });
    return isDisabled;
  }
}
