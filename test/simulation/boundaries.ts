import type { SimulatedRole } from './roles.ts';

/** Where a process is paused: before its `call`th step outwards, counted over the processes of the role. */
export interface AimedPause {
  readonly role: SimulatedRole;
  readonly call: number;
  /** Long enough for every deadline of an attempt, or for a takeover only. */
  readonly pauseMs: number;
}

/**
 * Counts the steps of processes to the world outside: each call of store, log and Network, and each answer. Between any
 * two of them a process may be held up.
 */
export class Boundaries {
  readonly #counts = new Map<SimulatedRole, number>();
  readonly #aimed: AimedPause | null;
  readonly #pause: (name: string, pauseMs: number) => void;
  #isCounting = false;

  constructor(aimed: AimedPause | null, pause: (name: string, pauseMs: number) => void) {
    this.#aimed = aimed;
    this.#pause = pause;
  }

  /** From now on, until `end`. */
  begin(): void {
    this.#isCounting = true;
  }

  end(): void {
    this.#isCounting = false;
  }

  /** How many there were. */
  count(role: SimulatedRole): number {
    return this.#counts.get(role) ?? 0;
  }

  /** A process is about to take a step. */
  pass(role: SimulatedRole, name: string): void {
    if (!this.#isCounting) return;
    const count = this.count(role) + 1;
    this.#counts.set(role, count);
    if (this.#aimed?.role === role && this.#aimed.call === count) this.#pause(name, this.#aimed.pauseMs);
  }
}
