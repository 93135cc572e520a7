import { isExample, isForTests, sources, type Rule, type Tree } from './tree.ts';

interface Export {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly isType: boolean;
}

const DECLARED = /^export (?:declare )?(?:abstract )?(?:async )?(interface|type|const|let|function\*?|class) (\w+)/;
const NAMES = /\{([^{}]*)\}\s*(?:=\s*await\s+import\(|from\b)/g;
const NAMESPACE = /^import \* as (\w+) from/gm;
const MEMBER_OF_IMPORT = /import\('[^']+'\)\)\.(\w+)/g;

/** Written from the OpenAPI document: a type for each schema, for users of the client. */
const API_TYPES = 'clients/typescript/api.ts';

export const DEAD_EXPORTS: Rule = {
  name: 'every export is imported',
  why: 'an export says that others rely on it; one that no file imports is private, or dead',
  find: (tree) => {
    const imported = importedNames(tree);
    return exportsOf(tree)
      .filter(({ path, name }) => !imported.has(name) && !isExample(path) && path !== API_TYPES)
      .filter(({ path, name, isType }) => !(isType && isInExportedSignature(tree.get(path)!, name)))
      .map(({ path, line, name }) => `${path}:${line}: no file imports ${name}`);
  },
};

/** Names of exported types that two rooms share on purpose, and why. */
const SHARED_NAMES: Readonly<Record<string, string>> = {};

/**
 * An adapter and its simulator read one vendor's reference, which has the same nouns for both. The client of others
 * names what the API gives as the API does, and imports nothing of this house.
 */
const MIRRORED = /^(libs\/networks|services\/sandbox)\//;
const CLIENT = /^clients\/typescript\//;

export const HOMONYMS: Rule = {
  name: 'one name means one type',
  why: 'a reader who searches for a type must find one; two things of one name are taken for each other',
  find: (tree) => {
    const types = exportsOf(tree).filter(({ path, isType }) => isType && !isForTests(path) && !CLIENT.test(path));
    return [...Map.groupBy(types, ({ name }) => name)].flatMap(([name, found]) => {
      const paths = found.map(({ path }) => path);
      const isAllowed = paths.length === 1 || name in SHARED_NAMES || paths.every((path) => MIRRORED.test(path));
      return isAllowed ? [] : [`${paths[0]}: ${name} is also in ${paths.slice(1).join(', ')}`];
    });
  },
};

/** Participles say that something was done, not what a thing is, and can not be searched for. */
const PARTICIPLE =
  /^(?:(?!Feed$|Seed$|Speed$|Need$)[A-Z][a-z]+ed|Made|Brought|Held|Sent|Told|Said|Known|Seen|Found|Lost|Taken|Given|Kept|Left|Put|Read|Written|Done|Gone|Waiting|Running|Pending)$/;

export const NOUNS: Rule = {
  name: 'types are named by nouns',
  why: 'a bare participle (Made, Held, Refused) says nothing of the thing, and a search for it finds every sentence',
  find: (tree) =>
    exportsOf(tree).flatMap(({ path, line, name, isType }) =>
      isType && PARTICIPLE.test(name) && !isForTests(path) ? [`${path}:${line}: ${name}`] : [],
    ),
};

function exportsOf(tree: Tree): readonly Export[] {
  return sources(tree).flatMap(([path, text]) =>
    text.split('\n').flatMap((code, index): Export[] => {
      const [, kind = '', name = ''] = DECLARED.exec(code) ?? [];
      return name === ''
        ? []
        : [{ path, line: index + 1, name, isType: ['interface', 'type', 'class'].includes(kind) }];
    }),
  );
}

function importedNames(tree: Tree): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, text] of sources(tree)) {
    for (const [, list = ''] of text.matchAll(NAMES)) {
      for (const one of list.split(','))
        names.add(
          one
            .replace(/^\s*type\s/, '')
            .trim()
            .split(/\s+as\s+|:/)[0]!
            .trim(),
        );
    }
    for (const [, name = ''] of text.matchAll(MEMBER_OF_IMPORT)) names.add(name);
    for (const [, namespace = ''] of text.matchAll(NAMESPACE))
      for (const [, name = ''] of text.matchAll(new RegExp(`\\b${namespace}\\.(\\w+)`, 'g'))) names.add(name);
  }
  return names;
}

/** A type that callers of an exported function or class hand in or get back is public with it. */
function isInExportedSignature(text: string, name: string): boolean {
  const mentions = text.split('\n').filter((line) => new RegExp(`\\b${name}\\b`).test(line));
  return mentions.length > 1;
}
