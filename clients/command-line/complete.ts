import { channelWord } from '#clients/csv/channel-names.ts';
import { createCrier } from '#clients/typescript/client.ts';
import { findKey } from './credentials.ts';
import { verbOf } from './parse-command.ts';
import type { Terminal } from './terminal.ts';
import { COMMON_FLAGS, type Verb, type VerbFlag } from './verb.ts';

/** A person who waits for a completion does not wait for a server that is slow. */
const CHANNELS_TIMEOUT_MS = 2_000;

/**
 * What the last of the words may become: one candidate a line, `:files` for names of files. `others` are verbs of
 * operators. Never fails: a shell shows no errors.
 */
export async function candidatesFor(
  words: readonly string[],
  verbs: readonly Verb[],
  others: readonly string[],
  terminal: Terminal,
): Promise<readonly string[]> {
  // Shells hand over what was typed, with its quotes.
  const last = (words.at(-1) ?? '').replace(/^["']/, '').replace(/\\(.)/g, '$1');
  const before = words.slice(0, -1);
  const verb = verbOf(before, verbs);
  const candidates = [
    ...nextWordsOf(before, verbs, others),
    ...(verb === null ? [] : await ofVerb(verb, before, last, terminal)),
  ];
  return [...new Set(candidates)].filter((each) => each === ':files' || each.startsWith(last));
}

/** Words that a verb may begin or continue with. */
function nextWordsOf(before: readonly string[], verbs: readonly Verb[], others: readonly string[]): readonly string[] {
  if (before.length === 0) return [...verbs.map(({ name }) => name.split(' ')[0]!), ...others, 'help'];
  if (before.length > 1) return [];
  return verbs.flatMap(({ name }) => (name.startsWith(`${before[0]} `) ? [name.split(' ')[1]!] : []));
}

async function ofVerb(
  verb: Verb,
  before: readonly string[],
  last: string,
  terminal: Terminal,
): Promise<readonly string[]> {
  const flags = [...verb.flags, ...COMMON_FLAGS];
  const open = flags.find(({ name, value }) => value !== undefined && before.at(-1) === `--${name}`);
  if (open !== undefined) return valuesOf(open, before, terminal);
  if (last.startsWith('-')) return flags.map(({ name }) => `--${name}`);
  return verb.completesWords === 'files' ? [':files'] : (verb.completesWords ?? []);
}

async function valuesOf(
  { completes }: VerbFlag,
  before: readonly string[],
  terminal: Terminal,
): Promise<readonly string[]> {
  if (completes === undefined) return [];
  if (completes === 'files') return [':files'];
  if (completes !== 'channels') return completes;
  try {
    const profile = before[before.indexOf('--profile') + 1];
    const key = findKey(terminal, before.includes('--profile') ? profile! : 'default');
    const channels = await createCrier(key).channels.list({ signal: AbortSignal.timeout(CHANNELS_TIMEOUT_MS) });
    return [...channels.map((channel) => channelWord(channel, channels)), 'all'];
  } catch {
    return [];
  }
}
