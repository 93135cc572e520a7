import { uptime } from 'node:os';
import type { Cancel, Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from '#runtime/service.ts';
import type { Leaps } from '../engines/engine.ts';
import { MAX_OFF_MS } from './clock-check.ts';
import type { ClockLead } from './clock-lead.ts';

const LOOK_MS = 500;
/** A clock that is wrong for less than this, until NTP answers, does nothing. */
export const HOLD_MS = 60_000;
/** The time for which a machine slept is known to within this. */
const SLEPT_WITHIN_MS = 5_000;

export interface LeapHoldOptions {
  readonly leaps: Leaps;
  readonly lead: ClockLead;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly reporter: Pick<Reporter, 'report'>;
  /** Milliseconds since the machine started, those in which it slept among them. */
  readonly sinceBootMs?: () => number;
}

/**
 * Where no other machine of the installation tells the time, a leap of the clock against the monotonic one is all that
 * shows that it may be wrong. The time of the process goes on from where it was until the leap is confirmed, so that
 * nothing is published early by a clock that is wrong for a while. Modes:
 * - *level*: there is no leap. One within what Posts may be late by is followed at once.
 * - *held*: the clock leapt. It is followed at once if the machine slept for as long, or if a Network answers with a
 *   Date that agrees; after a minute if nothing contradicts it; and not as long as the Date of a Network does. A clock
 *   that returns to where it was has not leapt, and one that leaps once more is doubted from then on.
 * - *over*.
 */
export class LeapHold implements Service {
  readonly name = 'clock';
  readonly #options: LeapHoldOptions;
  readonly #sinceBootMs: () => number;
  #cancel: Cancel = () => {};
  #isOver = false;
  #sleptMs: number;
  #held: { readonly sinceMs: number; readonly leapMs: number; readonly sleptBeforeMs: number } | null = null;

  constructor(options: LeapHoldOptions) {
    this.#options = options;
    this.#sinceBootMs = options.sinceBootMs ?? (() => uptime() * 1_000);
    this.#sleptMs = this.#sleptSoFarMs();
  }

  start(): Promise<void> {
    this.#look();
    return Promise.resolve();
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    return Promise.resolve();
  }

  trouble(): string | null {
    if (this.#held === null) return null;
    const leapMs = this.#options.leaps.leapMs();
    return leapMs === 0 ? null : sentenceOf(leapMs);
  }

  #look(): void {
    if (this.#isOver) return;
    const { leaps, lead, clock, reporter } = this.#options;
    const leapMs = leaps.leapMs();
    if (leapMs === 0) {
      this.#held = null;
      this.#sleptMs = this.#sleptSoFarMs();
    } else if (Math.abs(leapMs) <= MAX_OFF_MS) this.#follow(leapMs);
    else if (this.#held === null || Math.abs(leapMs - this.#held.leapMs) > MAX_OFF_MS) {
      const sleptBeforeMs = this.#held?.sleptBeforeMs ?? this.#sleptMs;
      this.#held = { sinceMs: clock.monotonic(), leapMs, sleptBeforeMs };
      lead.forget();
      if (!this.#slept(leapMs)) reporter.report('clock-doubted', { detail: sentenceOf(leapMs) });
    }
    if (this.#held !== null && this.#isRight(leapMs)) this.#follow(leapMs);
    this.#cancel = clock.after(LOOK_MS, () => this.#look());
  }

  #isRight(leapMs: number): boolean {
    const { lead, clock } = this.#options;
    if (this.#slept(leapMs)) return true;
    // Compared with the time of the process, which has not followed.
    if (lead.aheadMs !== null) return Math.abs(lead.aheadMs + leapMs) <= MAX_OFF_MS;
    return clock.monotonic() - this.#held!.sinceMs >= HOLD_MS;
  }

  #slept(leapMs: number): boolean {
    return Math.abs(this.#sleptSoFarMs() - this.#held!.sleptBeforeMs - leapMs) <= SLEPT_WITHIN_MS;
  }

  /** The monotonic clock stands still while the machine sleeps. */
  #sleptSoFarMs(): number {
    return this.#sinceBootMs() - this.#options.clock.monotonic();
  }

  #follow(leapMs: number): void {
    this.#options.leaps.confirm(leapMs);
    this.#held = null;
    this.#sleptMs = this.#sleptSoFarMs();
  }
}

function sentenceOf(leapMs: number): string {
  const seconds = Math.round(Math.abs(leapMs) / 1_000);
  return `the clock of this machine leapt ${seconds} s ${leapMs > 0 ? 'ahead' : 'back'}: nothing goes by it for ${HOLD_MS / 1_000} s, or until a Network's time agrees; set it right if it is wrong (timedatectl and chronyc tracking say more)`;
}
