import { createCrier, type Crier, type RetryNotice } from '#clients/typescript/client.ts';
import { nearestOf } from '#clients/csv/nearest.ts';
import { candidatesFor } from './complete.ts';
import { findKey } from './credentials.ts';
import { failureOf } from './failure.ts';
import { helpOf, listOf } from './help.ts';
import { parseCommand, verbOf, type WrittenCommand } from './parse-command.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import type { Invocation, Verb } from './verb.ts';
import { VERBS } from './verbs.ts';

const WRONG_USAGE = 2;

/** A person who waits for one answer learns within seconds that there is none; long work outlives a restart. */
const SHORT_RETRIES = 3;
const LONG_RETRIES = 8;
const TELL_AFTER_MS = 1_000;

/** What shells ask for candidates: the words so far behind it. */
const COMPLETE = '__complete';

export interface CommandLineOptions {
  readonly terminal: Terminal;
  /** Verbs of operators, which the completion offers, too. */
  readonly operators: readonly string[];
}

/** Whether the words name a verb of users, or a group of them such as `media`. */
export function isVerbOfUsers([first = '']: readonly string[]): boolean {
  return first === COMPLETE || VERBS.some(({ name }) => name.split(' ')[0] === first);
}

/** Their lines in `crier --help`. */
export function helpForUsers(): string {
  return listOf(VERBS);
}

/** The verb, of users or of operators, that a word was probably meant to be. */
export function nearestVerb(word: string, others: readonly string[]): string | null {
  return nearestOf(word, [...VERBS.map(({ name }) => name.split(' ')[0]!), ...others]);
}

/** Carries out one command. Resolves with the exit code: 0 done, 1 refused, 2 wrongly written, 130 interrupted. */
export async function runCommandLine(
  args: readonly string[],
  { terminal, operators }: CommandLineOptions,
): Promise<number> {
  if (args[0] === COMPLETE) {
    const candidates = await candidatesFor(args.slice(1), VERBS, operators, terminal);
    terminal.out(candidates.map((each) => `${each}\n`).join(''));
    return 0;
  }
  const verb = verbOf(args, VERBS);
  if (verb === null) return unknownVerb(args, terminal);
  const json = args.includes('--json');
  try {
    const command = parseCommand(verb, args);
    if (command.flags.has('help')) {
      terminal.out(helpOf(verb));
      return 0;
    }
    return await verb.run(invocationOf(command, terminal));
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.say(`crier: ${error.message}\n       See crier ${verb.name} --help\n`);
      return WRONG_USAGE;
    }
    const failure = failureOf(error, terminal, json);
    terminal.say(failure.text);
    return failure.exitCode;
  }
}

function invocationOf({ verb, words, flags }: WrittenCommand, terminal: Terminal): Invocation {
  const profile = flags.get('profile')?.at(-1) ?? 'default';
  let client: Crier | null = null;
  const maxRetries = verb.isLong === true ? LONG_RETRIES : SHORT_RETRIES;
  const onRetry = ({ error, delayMs }: RetryNotice): void => {
    if (terminal.sayIsTerminal && delayMs > TELL_AFTER_MS)
      terminal.say(`${error.message} Trying again in ${Math.round(delayMs / 1_000)} s ...\n`);
  };
  return {
    words,
    value: (flag) => flags.get(flag)?.at(-1),
    values: (flag) => flags.get(flag) ?? [],
    has: (flag) => flags.has(flag),
    json: flags.has('json'),
    terminal,
    profile,
    crier: () => (client ??= createCrier({ ...findKey(terminal, profile), maxRetries, onRetry })),
  };
}

/** `crier media` without a second word, or with one that is none. */
function unknownVerb([first = '', second = '']: readonly string[], terminal: Terminal): number {
  const group: readonly Verb[] = VERBS.filter(({ name }) => name.split(' ')[0] === first);
  const nearest = nearestOf(
    `${first} ${second}`,
    group.map(({ name }) => name),
  );
  const isMissing = second === '' || second.startsWith('-');
  const said = isMissing ? `crier ${first} needs a second word` : `there is no verb "${first} ${second}"`;
  const meant = isMissing || nearest === null ? '' : `. Did you mean crier ${nearest}?`;
  terminal.say(`crier: ${said}${meant}\n${listOf(group)}`);
  return WRONG_USAGE;
}
