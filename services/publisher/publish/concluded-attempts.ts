import { createBoundedMap } from '#concurrency/bounded-map.ts';

const MAX_ATTEMPTS = 20_000;

interface Attempt {
  readonly ledgerId: string;
  readonly attempt: number;
}

/**
 * A dedupe cache: the attempts whose verdict this process has reported to their Workspace, durably. Jobs come more than
 * once: after a backlog there is one job of each watchdog that fired meanwhile, and none of them has to report again.
 */
export class ConcludedAttempts {
  readonly #attempts = createBoundedMap<string, true>(MAX_ATTEMPTS);

  has(attempt: Attempt): boolean {
    return this.#attempts.has(keyOf(attempt));
  }

  add(attempt: Attempt): void {
    this.#attempts.set(keyOf(attempt), true);
  }
}

function keyOf({ ledgerId, attempt }: Attempt): string {
  return `${ledgerId} ${attempt}`;
}
