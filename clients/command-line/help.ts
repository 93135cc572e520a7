import { usageOf } from './parse-command.ts';
import { COMMON_FLAGS, type Verb, type VerbFlag } from './verb.ts';

/** The help of one verb. */
export function helpOf(verb: Verb): string {
  const all = [...verb.flags, ...COMMON_FLAGS];
  const width = Math.max(...all.map((flag) => written(flag).length));
  const flags = all.map((flag) => `  ${written(flag).padEnd(width)}  ${flag.doc}\n`);
  const notes = (verb.notes ?? []).map((note) => `\n${wrapped(note)}\n`);
  const examples = verb.examples.map((example) => `  ${example}\n`);
  return `${verb.summary}\n\nUsage: ${usageOf(verb)} [flags]\n\n${flags.join('')}${notes.join('')}\nFor example:\n\n${examples.join('')}`;
}

/** The verbs with one line each, as `crier --help` lists them. */
export function listOf(verbs: readonly Verb[]): string {
  const rows = verbs.map((verb) => [[verb.name, verb.takes].join(' ').trim(), verb.summary] as const);
  const width = Math.max(...rows.map(([usage]) => usage.length));
  return rows.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}\n`).join('');
}

function written({ name, value, multiple }: VerbFlag): string {
  return `--${name}${value === undefined ? '' : ` ${value}`}${multiple === true ? ' ...' : ''}`;
}

const TEXT_COLUMNS = 100;

function wrapped(text: string): string {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last.length + 1 + word.length > TEXT_COLUMNS) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}
