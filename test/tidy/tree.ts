import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';

/** Text files of the repository by their path from its root, with `/`; pictures are there without their content. */
export type Tree = ReadonlyMap<string, string>;

/** One house rule: what breaks it, a line each, beginning with the path. `why` is shown with them. */
export interface Rule {
  readonly name: string;
  readonly why: string;
  readonly find: (tree: Tree) => readonly string[];
}

const LEFT_OUT = new Set(['node_modules', '.git', '.cache', '.crier', 'bench-results', 'dist']);
const TEXT = new Set([
  '.ts',
  '.tsx',
  '.css',
  '.json',
  '.avsc',
  '.md',
  '.yml',
  '.yaml',
  '.html',
  '.sh',
  '.py',
  '.go',
  '',
]);

/** Pages show them. */
const PICTURES = new Set(['.png']);

export function readTree(root: string): Tree {
  const tree = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (LEFT_OUT.has(entry.name)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && PICTURES.has(extname(entry.name))) tree.set(path, '');
      else if (entry.isFile() && TEXT.has(extname(entry.name))) tree.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  visit('.');
  return tree;
}

export function sources(tree: Tree): [path: string, text: string][] {
  return [...tree].filter(([path]) => /\.tsx?$/.test(path));
}

/** Runs only in tests: tests themselves, what they start or share, the suites of ports. */
export function isForTests(path: string): boolean {
  return (
    /\.(test|fixture|child)\.tsx?$/.test(path) ||
    /^(test|libs\/testing|libs\/port-suites)\//.test(path) ||
    path === 'vitest.config.ts'
  );
}

/** Programs of their own for others to copy, and what writes such programs: nothing of this house runs in them. */
export function isExample(path: string): boolean {
  return /^(examples|clients\/typescript\/examples)\//.test(path) || path === 'services/ingress/developers/snippets.ts';
}

/** Numbered lines without those that are comments only, and without a comment at the end. */
export function codeLines(text: string): [line: number, code: string][] {
  let inBlock = false;
  return text.split('\n').flatMap((line, index): [number, string][] => {
    const begins = /^\s*\/\*/.test(line);
    const comment = inBlock || begins || /^\s*\/\//.test(line);
    inBlock = (inBlock || begins) && !line.includes('*/');
    return comment ? [] : [[index + 1, line.replace(/\s\/\/ .*$/, '')]];
  });
}

/** Numbered lines that are comments, and comments at the end of a line. */
export function commentLines(text: string): [line: number, comment: string][] {
  const code = new Map(codeLines(text));
  return text.split('\n').flatMap((line, index): [number, string][] => {
    const rest = line.slice((code.get(index + 1) ?? '').length);
    return rest.trim() === '' ? [] : [[index + 1, rest]];
  });
}
