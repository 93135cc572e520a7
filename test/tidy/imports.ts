import { posix } from 'node:path';
import { codeLines, type Tree } from './tree.ts';

export interface Import {
  readonly line: number;
  /** Path from the root for our own files, else the package's name as written. */
  readonly target: string;
  readonly own: boolean;
  readonly typesOnly: boolean;
}

/** `from '...'`, `import '...'`, `import('...')`; the statement may have begun lines above. */
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\s*\()\s*'([^']+)'/g;

/** Everything a file imports. `tree` gives package.json's `imports`. */
export function importsOf(path: string, text: string, tree: Tree): Import[] {
  const aliases = aliasesOf(tree);
  let typesOnly = false;
  return codeLines(text).flatMap(([line, code]) => {
    if (/^(import|export)\b/.test(code)) typesOnly = /^(import|export) type\b/.test(code);
    return [...code.matchAll(SPECIFIER)].flatMap((match): Import[] => {
      const named = match[1]!;
      const isCall = match[0].includes('(');
      // A word of prose or of another language in a string is no import of ours.
      if (!isCall && !/^\s*(import|export|\})/.test(code)) return [];
      const target = resolve(path, named, aliases);
      return [{ line, target: target ?? named, own: target !== null, typesOnly: typesOnly && !isCall }];
    });
  });
}

function aliasesOf(tree: Tree): [prefix: string, folder: string][] {
  const { imports } = JSON.parse(tree.get('package.json') ?? '{}') as { imports?: Record<string, string> };
  return Object.entries(imports ?? {}).map(([alias, folder]) => [
    alias.replace('*', ''),
    posix.normalize(folder.replace('*', '')),
  ]);
}

function resolve(path: string, named: string, aliases: [string, string][]): string | null {
  if (named.startsWith('.')) return posix.join(posix.dirname(path), named);
  const alias = aliases.find(([prefix]) => named.startsWith(prefix));
  return alias === undefined ? null : alias[1] + named.slice(alias[0].length);
}
