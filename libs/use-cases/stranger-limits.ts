import { createBoundedMap, type BoundedMap } from '#concurrency/bounded-map.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { clientHolderOf } from '#http-server/client-holder.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';

/** How often an address may still ask: `left` as of `at`, since when it has grown again. */
interface Bucket {
  readonly left: number;
  readonly at: number;
}

const MINUTE_MS = 60_000;
/** Some 15 MB. Who asks from more addresses than this has those forgotten that asked longest ago. */
const MAX_REMEMBERED = 100_000;

/**
 * What the addresses of one process may ask of it without a valid credential: so many requests at once, which come back
 * evenly over a minute. Doors look a credential up before they come here, so that a key or a session that is good is
 * never refused for what others sent from the same address.
 */
export class StrangerLimits {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #perMinute: number;
  readonly #buckets: BoundedMap<string, Bucket>;

  /** `perMinute` 0: no limit. */
  constructor(clock: Pick<Clock, 'monotonic'>, perMinute: number, maxRemembered = MAX_REMEMBERED) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.#buckets = createBoundedMap(maxRemembered);
  }

  /** Addresses that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Counts a request that has no valid credential. Null: it may be answered. */
  take(address: string | undefined): ApiProblem | null {
    if (this.#perMinute === 0) return null;
    const holder = clientHolderOf(address);
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(holder);
    const grown = known === undefined ? this.#perMinute : known.left + ((now - known.at) * this.#perMinute) / MINUTE_MS;
    const left = Math.min(this.#perMinute, grown);
    this.#buckets.set(holder, { left: left < 1 ? left : left - 1, at: now });
    return left < 1 ? this.#refusal(1 - left) : null;
  }

  #refusal(missing: number): ApiProblem {
    const seconds = Math.max(1, Math.ceil((missing * MINUTE_MS) / this.#perMinute / 1_000));
    return {
      code: 'rate_limited',
      message: `Your network address may send ${this.#perMinute} requests a minute without a valid key, token or session. Please try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, or send a valid one: that has a budget of its own.`,
      retryAfterSeconds: seconds,
    };
  }
}

export interface CountStrangerOptions {
  readonly strangers: Pick<StrangerLimits, 'take'>;
  readonly reporter: Pick<Reporter, 'report'>;
}

/** Counts a request without a valid credential, and reports its refusal. Null: it may be answered. */
export function countStranger(
  { strangers, reporter }: CountStrangerOptions,
  door: string,
  client: string | undefined,
): ApiProblem | null {
  const refused = strangers.take(client);
  if (refused !== null) reporter.report('stranger-refused', { door, client });
  return refused;
}
