import type { Cancel, Clock } from '#ports/clock.ts';
import { LEVELS, type Level } from '#reporting/event.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { LogLevelStatus } from '#services/admin/dependencies.ts';

export interface LogLevelOptions {
  readonly usual: Level | 'silent';
  /** Lines below it are not written from then on. */
  readonly set: (level: Level | 'silent') => void;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly reporter: Pick<Reporter, 'report'>;
}

/**
 * The level of this process's log. usual -> `change` -> changed, until its time is over or somebody asks for the usual
 * level -> usual. A further change takes the place of the one before, with its time. `stop` ends it in either mode.
 */
export class LogLevel {
  readonly #options: LogLevelOptions;
  #changed: { readonly level: Level; readonly until: number; readonly cancel: Cancel } | null = null;

  constructor(options: LogLevelOptions) {
    this.#options = options;
  }

  status(): LogLevelStatus {
    const { usual } = this.#options;
    return { level: this.#changed?.level ?? usual, usual, until: this.#changed?.until ?? null };
  }

  change(level: Level, forMs: number): LogLevelStatus {
    const { usual, clock } = this.#options;
    const before = this.status().level;
    this.stop();
    if (level !== usual)
      this.#changed = { level, until: clock.now() + forMs, cancel: clock.after(forMs, () => this.#backToUsual()) };
    this.#apply(before, 'operator');
    return this.status();
  }

  stop(): void {
    this.#changed?.cancel();
    this.#changed = null;
  }

  #backToUsual(): void {
    const before = this.status().level;
    this.#changed = null;
    this.#apply(before, 'time');
  }

  /** The change is reported at the wider of both levels: whoever narrows the log reads in it that this was done. */
  #apply(from: Level | 'silent', why: 'operator' | 'time'): void {
    const { set, reporter } = this.#options;
    const { level: to } = this.status();
    const tell = (): void => reporter.report('log-level-changed', { from, to, why });
    if (widthOf(to) < widthOf(from)) tell();
    set(to);
    if (widthOf(to) >= widthOf(from)) tell();
  }
}

/** How many levels are written. */
function widthOf(level: Level | 'silent'): number {
  return level === 'silent' ? 0 : LEVELS.length - LEVELS.indexOf(level);
}
