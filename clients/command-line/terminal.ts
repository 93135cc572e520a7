/** Where a verb reads and writes: the process's streams, or those of a test. */
export interface Terminal {
  /** For results. */
  out(text: string): void;
  /** For everything that is said beside the result. */
  say(text: string): void;
  /** Whether results are read by a person. */
  readonly outIsTerminal: boolean;
  /** Whether what is said is read by a person, so that a line may be overwritten. */
  readonly sayIsTerminal: boolean;
  readonly columns: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The answer of a person; null where none can be asked. `secret`: it is not shown while typed. */
  ask(question: string, options?: { readonly secret?: boolean }): Promise<string | null>;
  /** All of standard input; null when it is a terminal. */
  input(): Promise<string | null>;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
}

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const;
export type Colour = keyof typeof CODES;

/** The text in a colour, where a person sees it and has not said NO_COLOR. */
export function coloured(terminal: Terminal, colour: Colour, text: string): string {
  const { NO_COLOR, TERM } = terminal.environment;
  const plain = !terminal.outIsTerminal || (NO_COLOR !== undefined && NO_COLOR !== '') || TERM === 'dumb';
  return plain || text === '' ? text : `\u001B[${CODES[colour]}m${text}\u001B[0m`;
}

/** Texts of others without what a terminal would take for an order: control characters, and turns of direction. */
export function harmless(text: string): string {
  return text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, '\u{FFFD}');
}
