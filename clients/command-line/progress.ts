import stringWidth from 'string-width';
import type { Terminal } from './terminal.ts';

const BAR_COLUMNS = 24;
const MIN_GAP_MS = 100;

/** A line that says how far long work is, on a terminal only, so that logs of scripts stay clean. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #what: string;
  #shownAt = 0;
  #columns = 0;

  constructor(terminal: Terminal, what: string) {
    this.#terminal = terminal;
    this.#what = what;
  }

  show(done: number, total: number, words: string): void {
    if (!this.#terminal.sayIsTerminal) return;
    const now = Date.now();
    if (now - this.#shownAt < MIN_GAP_MS && done < total) return;
    this.#shownAt = now;
    const share = total === 0 ? 1 : done / total;
    const full = Math.round(share * BAR_COLUMNS);
    const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_COLUMNS - full)}`;
    const line = `${this.#what} ${bar} ${String(Math.round(share * 100)).padStart(3)} % ${words}`;
    this.#columns = Math.max(this.#columns, stringWidth(line));
    this.#terminal.say(`\r${line}${' '.repeat(this.#columns - stringWidth(line))}`);
  }

  /** Wipes the line, for what is said next. */
  end(): void {
    if (this.#columns > 0) this.#terminal.say(`\r${' '.repeat(this.#columns)}\r`);
    this.#columns = 0;
  }
}
