import { basename } from 'node:path';
import { sources, type Rule } from './tree.ts';

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*\.tsx?$/;
const DRAWERS = new Set([
  'utils',
  'util',
  'helpers',
  'helper',
  'types',
  'common',
  'manager',
  'misc',
  'shared-types',
  'constants',
  'interfaces',
  'index',
]);
const BARREL = /^export (type )?(\*|\{[^}]*\}) from /m;

export const FILE_NAMES: Rule = {
  name: 'files are named after one noun, in kebab-case',
  why: 'a drawer (utils, helpers, types, common, manager, index) says nothing of what is in it, and everything ends there',
  find: (tree) =>
    sources(tree).flatMap(([path]) => {
      const name = basename(path);
      if (!KEBAB.test(name)) return [`${path}: not kebab-case`];
      return DRAWERS.has(name.split('.')[0]!) ? [`${path}: a drawer; name the noun`] : [];
    }),
};

export const NO_BARRELS: Rule = {
  name: 'no file only passes on what others export',
  why: 'a barrel hides where a thing lives and makes import cycles',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) => {
      const code = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/\*|\*)/.test(line));
      return code.length > 0 && code.every((line) => BARREL.test(line))
        ? [`${path}: only exports what others made`]
        : [];
    }),
};

export const NO_DEFAULTS: Rule = {
  name: 'exports have names',
  why: 'a thing is called the same wherever it is used; only tools that ask for a default export get one',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) =>
      /^export default\b/m.test(text) &&
      path !== 'vitest.config.ts' &&
      path !== 'clients/app/vite.config.ts' &&
      !path.endsWith('-setup.ts') &&
      !path.endsWith('-reporter.ts')
        ? [`${path}: export default`]
        : [],
    ),
};
