import { transition, type Transitions } from '#concurrency/transition.ts';
import type { DeliverEvent } from '#messages/messages.ts';
import type { QueuedDelivery } from './fair-queue.ts';

type State = 'waiting' | 'running' | 'settled';
const TRANSITIONS: Transitions<State> = { waiting: ['running'], running: ['settled'], settled: [] };

/**
 * `done`: the attempt's outcome is durable, by it or before it. `early`: it came before its instant, and a timer that
 * brings it again is durable. A copy of the job that came meanwhile may have been brought by that very timer.
 */
export type Settlement = 'done' | 'early';

/**
 * A job that the dispatcher took in. waiting (for its turn in the fair queue) -> `begin` -> running -> `settle` or
 * `fail` -> settled.
 *
 * Beside that it has at most one guard: a timer that brings the job again, for records of the log that do not wait for
 * the attempt itself. A job that came by this timer, or by a later one, has used it up.
 */
export class PendingAttempt implements QueuedDelivery {
  readonly key: string;
  readonly job: DeliverEvent;
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly host: string;
  readonly isFresh: boolean;
  /** Rejects with `PortError` when the job is to be offered again. */
  readonly settled: Promise<Settlement>;
  readonly #settle = Promise.withResolvers<Settlement>();
  #state: State = 'waiting';
  #guard: { readonly putOff: number; readonly set: Promise<void> } | null = null;

  constructor(job: DeliverEvent, host: string) {
    this.key = keyOf(job);
    this.job = job;
    this.workspaceId = job.workspaceId;
    this.endpointId = job.endpointId;
    this.host = host;
    this.isFresh = job.attempt === 1;
    this.settled = this.#settle.promise;
    // By the time it fails, its offer may rely on the guard and not wait for it any more.
    this.settled.catch(() => {});
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  begin(): void {
    this.#enter('running');
  }

  settle(as: Settlement): void {
    this.#enter('settled');
    this.#settle.resolve(as);
  }

  fail(error: unknown): void {
    this.#enter('settled');
    this.#settle.reject(error as Error);
  }

  /**
   * Resolves when a timer that brings `job` again is durable. One timer at a time, however often the same job comes:
   * each timer would bring it again, and each of those would set one more.
   */
  guard(job: DeliverEvent, setTimer: () => Promise<void>): Promise<void> {
    if (this.#guard !== null && job.putOff < this.#guard.putOff) return this.#guard.set;
    const guard = { putOff: job.putOff + 1, set: setTimer() };
    this.#guard = guard;
    // A timer that could not be set guards nothing.
    guard.set.catch(() => void (this.#guard === guard && (this.#guard = null)));
    return guard.set;
  }

  #enter(state: State): void {
    this.#state = transition('a pending attempt', TRANSITIONS, this.#state, state);
  }
}

/** The same for every copy of a job. */
export function keyOf({ deliveryId, round, attempt }: DeliverEvent): string {
  return `${deliveryId} ${round} ${attempt}`;
}
