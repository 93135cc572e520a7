import type { Crier } from '#clients/typescript/client.ts';
import type { Terminal } from './terminal.ts';

export interface VerbFlag {
  readonly name: string;
  /** What the value is called in the help; left out: the flag is given or not. */
  readonly value?: string;
  readonly doc: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  /** What the shell completes the value with. */
  readonly completes?: 'channels' | 'files' | readonly string[];
}

/** What a person wrote behind the verb. */
export interface Invocation {
  readonly words: readonly string[];
  /** The value of a flag, the last one when given several times. */
  value(flag: string): string | undefined;
  values(flag: string): readonly string[];
  has(flag: string): boolean;
  readonly json: boolean;
  readonly terminal: Terminal;
  /** The profile that is spoken to: of --profile, else `default`. */
  readonly profile: string;
  /** The client of the profile; throws CommandRefusal when nobody is signed in. */
  crier(): Crier;
}

/** One command. `run` resolves with the exit code: 0 done, 1 refused. */
export interface Verb {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  /** The words behind it, as in `FILE...`; empty when it takes none. */
  readonly takes: string;
  readonly minWords: number;
  readonly maxWords: number;
  readonly flags: readonly VerbFlag[];
  /** Whole sentences for the help, below the flags. */
  readonly notes?: readonly string[];
  /** Commands that work as they are written, but for ids; a test runs each. */
  readonly examples: readonly string[];
  /** It may take minutes, and goes on through trouble that passes. */
  readonly isLong?: boolean;
  readonly completesWords?: 'files' | readonly string[];
  run(invocation: Invocation): Promise<number>;
}

/** Flags that every verb takes. */
export const COMMON_FLAGS: readonly VerbFlag[] = [
  { name: 'json', doc: 'Print JSON, for scripts' },
  { name: 'profile', value: 'NAME', doc: 'Which of several installations, as named at login [default]' },
  { name: 'help', doc: 'Print this' },
];
