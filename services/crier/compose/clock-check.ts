import { retryWhileUnavailable } from '#concurrency/retry.ts';
import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from '#runtime/service.ts';
import type { ClockReference, Leaps, OtherClock } from '../engines/engine.ts';
import type { ClockLead } from './clock-lead.ts';

/** Beyond this a process would publish earlier, or later, than a minute's promise allows for. */
export const MAX_OFF_MS = MAX_APART_MS / 2;
const LOOK_MS = 5_000;
/** This often it is asked whether the clock has leapt, which costs nothing. */
const LEAP_LOOK_MS = 500;
/** A leap that changed by more than this is another one. */
const STANDS_WITHIN_MS = 1_000;

/** The clock that ours is judged by; undefined: none was seen. */
function middleOf(others: readonly OtherClock[]): OtherClock | undefined {
  const byLead = others.toSorted((one, other) => one.aheadMs - other.aheadMs);
  // The middle one, so that a node whose own clock is off says nothing about ours. Of two in the middle, the nearer.
  return [byLead[Math.floor((byLead.length - 1) / 2)], byLead[Math.floor(byLead.length / 2)]]
    .filter((one) => one !== undefined)
    .toSorted((one, other) => Math.abs(one.aheadMs) - Math.abs(other.aheadMs))[0];
}

/** In one sentence, what is wrong with this machine's clock; null: nothing, or no other clock was seen. */
export function clockTrouble(others: readonly OtherClock[]): string | null {
  const middle = middleOf(others);
  if (middle === undefined || Math.abs(middle.aheadMs) <= MAX_OFF_MS) return null;
  const seconds = Math.round(Math.abs(middle.aheadMs) / 1_000);
  const direction = middle.aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${seconds} s ${direction} that of ${middle.machine}: set it right (timedatectl and chronyc tracking say more), or that of the engine's machines`;
}

export interface ClockCheckOptions {
  readonly reference: ClockReference;
  readonly leaps: Leaps;
  readonly lead: ClockLead;
  readonly clock: Pick<Clock, 'after' | 'sleep' | 'monotonic'>;
  readonly reporter: Pick<Reporter, 'report' | 'failure'>;
  /** Called once, when the clock went wrong after the start. The process is to end. */
  readonly onWrong: (error: PortError) => void;
}

/**
 * Compares the machine's clock with those of the engine's machines: a wrong one publishes early or late, and rows that
 * it orders hide what others write. Modes:
 * - *waiting*: the clock is wrong, or no engine answered yet. The services that are started after this one have not
 *   begun; the process lives, and is not ready. It looks again every five seconds.
 * - *right*: it looks every five seconds, and soon after a leap, which the process's time follows only once it is found
 *   to be right. A clock that is wrong now ends the process; started again, it waits.
 * - *over*.
 * While the engine is away nothing is known, and the mode stays.
 */
export class ClockCheck implements Service {
  readonly name = 'clock';
  readonly #options: ClockCheckOptions;
  readonly #ending = new AbortController();
  #cancel: Cancel = () => {};
  #trouble: string | null = null;
  #lookedAt = 0;

  constructor(options: ClockCheckOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { clock, reporter } = this.#options;
    const { signal } = this.#ending;
    const report = (error: unknown): void => reporter.failure('engine-unavailable', error);
    while (!signal.aborted) {
      const before = this.#trouble;
      // Asked to end, it is tried once more, and nothing is asked any more.
      this.#trouble = await retryWhileUnavailable(async () => (signal.aborted ? null : this.#look()), {
        ...{ clock, report, signal, mayRetry: () => true },
      });
      if (this.#trouble === null) break;
      if (before === null) reporter.report('clock-refused', { detail: this.#trouble });
      await clock.sleep(LOOK_MS, signal);
    }
    this.#lookLater();
  }

  async drain(): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#cancel();
  }

  trouble(): string | null {
    return this.#trouble;
  }

  async #look(): Promise<string | null> {
    const { reference, leaps, lead } = this.#options;
    this.#lookedAt = this.#options.clock.monotonic();
    const leapMs = leaps.leapMs();
    const others = await reference.others();
    const trouble = clockTrouble(others);
    const aheadMs = middleOf(others)?.aheadMs;
    if (aheadMs !== undefined) lead.note(aheadMs);
    // The leap is confirmed only if the wall clock did not leap again while the engine was asked: the comparison may be
    // of the time before or after the second leap, and the next look compares anew. It is not confirmed where no other
    // clock answered, as nothing was compared then.
    const hasStood = Math.abs(leaps.leapMs() - leapMs) <= STANDS_WITHIN_MS;
    if (trouble === null && leapMs !== 0 && aheadMs !== undefined && hasStood) leaps.confirm(leapMs);
    return trouble;
  }

  #lookLater(): void {
    if (this.#ending.signal.aborted) return;
    this.#cancel = this.#options.clock.after(LEAP_LOOK_MS, () => void this.#lookAgain());
  }

  async #lookAgain(): Promise<void> {
    const { leaps, clock, reporter, onWrong } = this.#options;
    if (leaps.leapMs() !== 0 || clock.monotonic() - this.#lookedAt >= LOOK_MS) {
      // That an engine is away is reported by those who need it.
      this.#trouble = await this.#look().catch(() => this.#trouble);
      if (this.#trouble !== null && !this.#ending.signal.aborted) {
        reporter.report('clock-refused', { detail: this.#trouble });
        return onWrong(new PortError('refused', this.#trouble));
      }
    }
    this.#lookLater();
  }
}
