import { basename } from 'node:path';
import { importsOf } from './imports.ts';
import { sources, type Rule } from './tree.ts';

export const DEAD_FILES: Rule = {
  name: 'every source file is used',
  why: 'code that nobody reaches is read, kept up and wrong all the same',
  find: (tree) => {
    const used = new Set(
      sources(tree).flatMap(([path, text]) => importsOf(path, text, tree).map(({ target }) => target)),
    );
    return sources(tree).flatMap(([path]) =>
      /\.test\.tsx?$/.test(path) || used.has(path) || isNamed(path)
        ? []
        : [`${path}: imported by nobody, and started by nobody`],
    );

    /** Started by its name: a program of package.json, the Makefile, a config, or a child process of a test. */
    function isNamed(path: string): boolean {
      const name = basename(path);
      return [...tree].some(
        ([other, text]) =>
          other !== path &&
          !other.endsWith('.md') &&
          text.includes(name) &&
          (isProgramList(other) || text.includes(`${name}'`)),
      );
    }
  },
};

const PROGRAM_LISTS: readonly string[] = [
  'package.json',
  'Makefile',
  'vitest.config.ts',
  'bin/crier',
  '.ci/run',
  'clients/app/index.html',
  'deploy/Dockerfile',
];

function isProgramList(path: string): boolean {
  return PROGRAM_LISTS.includes(path);
}
