import { parseArgs } from 'node:util';
import { nearestOf } from '#clients/csv/nearest.ts';
import { UsageError } from './usage-error.ts';
import { COMMON_FLAGS, type Verb, type VerbFlag } from './verb.ts';

export interface WrittenCommand {
  readonly verb: Verb;
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

/** The verb that the words begin with, the longest one; null when there is none. */
export function verbOf(args: readonly string[], verbs: readonly Verb[]): Verb | null {
  const [first = '', second = ''] = args;
  const long = verbs.find(({ name }) => name === `${first} ${second}`);
  if (long !== undefined) return long;
  const short = verbs.find(({ name }) => name === first);
  // `webhooks ad` is a misspelt second word, not a word too many.
  const isMisspelt = short?.maxWords === 0 && second !== '' && !second.startsWith('-') && isGroup(first, verbs);
  return short === undefined || isMisspelt ? null : short;
}

function isGroup(word: string, verbs: readonly Verb[]): boolean {
  return verbs.some(({ name }) => name.startsWith(`${word} `));
}

/** Reads what stands behind the verb. Throws UsageError, which names the nearest flag for a misspelt one. */
export function parseCommand(verb: Verb, args: readonly string[]): WrittenCommand {
  const rest = args.slice(verb.name.split(' ').length);
  const flags = [...verb.flags, ...COMMON_FLAGS];
  const { positionals, values } = parsed(rest, flags);
  if (values.has('help')) return { verb, words: positionals, flags: values };
  if (positionals.length < verb.minWords) throw new UsageError(`${verb.takes} is missing: ${usageOf(verb)}`);
  if (positionals.length > verb.maxWords)
    throw new UsageError(`"${positionals[verb.maxWords]}" is one word too many; quote texts: ${usageOf(verb)}`);
  return { verb, words: positionals, flags: values };
}

export function usageOf({ name, takes }: Verb): string {
  return `crier ${[name, takes].filter((part) => part !== '').join(' ')}`;
}

interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

function parsed(args: readonly string[], flags: readonly VerbFlag[]): ParsedArguments {
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: true },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const name = token.name === 'h' ? 'help' : token.name;
    const flag = flags.find((each) => each.name === name);
    if (flag === undefined) throw new UsageError(unknownFlag(token.rawName, flags));
    if (flag.value !== undefined && token.value === undefined)
      throw new UsageError(`--${name} takes a value: --${name} ${flag.value}`);
    if (flag.value === undefined && token.value !== undefined) throw new UsageError(`--${name} takes no value`);
    values.set(name, [...(values.get(name) ?? []), token.value ?? '']);
  }
  return { positionals, values };
}

function unknownFlag(raw: string, flags: readonly VerbFlag[]): string {
  const nearest = nearestOf(
    raw.replace(/^-+/, ''),
    flags.map(({ name }) => name),
  );
  // A text such as "-5 degrees today" is read as short flags.
  if (!raw.startsWith('--')) return `there is no flag ${raw}. A text that begins with - stands at the end, behind --`;
  return `there is no flag ${raw}. ${nearest === null ? `There are ${flags.map(({ name }) => `--${name}`).join(', ')}` : `Did you mean --${nearest}?`}`;
}
