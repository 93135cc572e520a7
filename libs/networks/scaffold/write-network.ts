import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIST_EDITS } from './list-edits.ts';

const TEMPLATE = fileURLToPath(new URL('template/', import.meta.url));
/** A Network's name is part of topics, settings and identifiers. */
const NAME = /^[a-z][a-z0-9]{0,30}$/;

/**
 * Writes a Network called `name` into the tree at `root`: every file of `template`, with `__name__` and the like
 * replaced, and its line in every list of Networks. What it writes compiles, has tests, and refuses to publish.
 * Returns the paths that it wrote. Throws an Error, before anything is written, when the name can't be one, the Network
 * is there already, or a list is not where it is looked for.
 */
export function scaffoldNetwork(root: string, name: string): readonly string[] {
  if (!NAME.test(name)) throw new Error(`"${name}" can not be a Network: use lower-case letters and digits`);
  const files = templateFiles().map((path) => ({
    path: named(path.slice(0, -'.txt'.length), name),
    text: named(readFileSync(join(TEMPLATE, path), 'utf8'), name),
  }));
  const taken = files.find(({ path }) => existsSync(join(root, path)));
  if (taken !== undefined) throw new Error(`${taken.path} is there already`);
  const lists = LIST_EDITS.map(({ path, after, adds }) => ({
    path,
    text: withLine(path, readFileSync(join(root, path), 'utf8'), after, named(adds, name)),
  }));
  // Several edits may be of one file: each reads what the one before it wrote.
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const { path, after, adds } of LIST_EDITS) {
    const text = readFileSync(join(root, path), 'utf8');
    writeFileSync(join(root, path), withLine(path, text, after, named(adds, name)));
  }
  return [...new Set([...files, ...lists].map(({ path }) => path))];
}

function templateFiles(): readonly string[] {
  return readdirSync(TEMPLATE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.txt'))
    .sort();
}

function named(text: string, name: string): string {
  return text
    .replaceAll('__name__', name)
    .replaceAll('__Name__', `${name[0]!.toUpperCase()}${name.slice(1)}`)
    .replaceAll('__NAME__', name.toUpperCase());
}

/** `text` with `added` behind what `after` matches, which must be there once. */
function withLine(path: string, text: string, after: RegExp, added: string): string {
  const matches = [...text.matchAll(new RegExp(after, 'gm'))];
  const [match] = matches;
  if (match === undefined || matches.length > 1)
    throw new Error(`${path} has ${matches.length} places that match ${after}, not one: mend list-edits.ts`);
  const end = match.index + match[0].length;
  return `${text.slice(0, end)}${added}${text.slice(end)}`;
}

// Run by `make network NAME=mastodon`, which formats what is printed here.
if (import.meta.main) {
  const [name = ''] = process.argv.slice(2);
  try {
    console.log(scaffoldNetwork(process.cwd(), name).join('\n'));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
