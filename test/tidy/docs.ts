import { posix } from 'node:path';
import { declaredMetrics } from './catalogue.ts';
import { commentLines, sources, type Rule, type Tree } from './tree.ts';

function pages(tree: Tree): [path: string, text: string][] {
  return [...tree].filter(([path]) => path.endsWith('.md'));
}

export const LINKS: Rule = {
  name: 'links of pages lead somewhere',
  why: 'a page is believed as long as what it points at is there',
  find: (tree) =>
    pages(tree).flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap((match) => {
        const [file = '', heading] = match[1]!.split('#') as [string, string?];
        if (/^[a-z]+:/.test(file)) return [];
        const target = file === '' ? path : posix.join(posix.dirname(path), file).replace(/\/$/, '');
        if (!exists(tree, target)) return [`${path}: ${match[1]} is not there`];
        return heading === undefined || headings(tree.get(target) ?? '').has(heading)
          ? []
          : [`${path}: ${match[1]} has no such heading`];
      }),
    ),
};

export const NAMED_FILES: Rule = {
  name: 'files that pages name exist',
  why: 'who follows a page must find what it speaks of',
  find: (tree) =>
    pages(tree).flatMap(([path, text]) =>
      [...text.matchAll(/`((?:libs|services|schemas|test|docs|bin)\/[\w./*<>-]+)`/g)].flatMap(([, named = '']) =>
        isThere(tree, named) ? [] : [`${path}: ${named} is not there`],
      ),
    ),
};

const PATH_IN_COMMENT = /(?<![\w./#-])(?:libs|services|schemas|test|docs|bin|examples)\/[\w./*<>-]*[\w*>]/g;

export const COMMENTED_FILES: Rule = {
  name: 'files that comments name exist',
  why: 'who follows a comment must find what it speaks of',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) =>
      path.startsWith('test/tidy/')
        ? []
        : commentLines(text).flatMap(([line, comment]) =>
            [...comment.matchAll(PATH_IN_COMMENT)]
              .filter(([named]) => !isThere(tree, named))
              .map(([named]) => `${path}:${line}: ${named} is not there`),
          ),
    ),
};

const PROMISING = ['docs/guarantees.md', 'docs/security-of-sign-in.md'];

export const GUARANTEES: Rule = {
  name: 'every guarantee names a test that exists',
  why: 'these pages promise only what a test holds; a test renamed or removed takes its promise along',
  find: (tree) =>
    PROMISING.flatMap((page) =>
      rowsOf(tree.get(page) ?? '').flatMap(([promise, where, test]) => {
        const file = /`([^`]+)`/.exec(where ?? '')?.[1];
        const title = /^`` (.+) ``$/.exec(test ?? '')?.[1] ?? /^`(.+)`$/.exec(test ?? '')?.[1];
        if (file === undefined || title === undefined) return [`${page}: "${promise}" has no file and test`];
        const text = tree.get(file);
        if (text === undefined) return [`${page}: ${file} is not there`];
        return isTestIn(text, title) ? [] : [`${page}: ${file} has no test "${title}"`];
      }),
    ),
};

export const VERBS: Rule = {
  name: 'commands that pages name exist',
  why: 'the first thing a reader does is type them',
  find: (tree) => {
    const verbs = new Set([...(tree.get('Makefile') ?? '').matchAll(/^([a-z][\w-]*):/gm)].map((match) => match[1]));
    const procedures = namesIn(tree.get('services/admin/client.ts') ?? '', /^ {2}'(\w+\.\w+)',$/gm);
    const crierVerbs = new Set([
      'help',
      ...namesIn(tree.get('services/crier/cli/main.ts') ?? '', /^ {2}'?([\w-]+)'?: async \(flags\)/gm),
      ...[...tree].flatMap(([path, text]) =>
        path.startsWith('clients/command-line/verbs/') ? [...namesIn(text, /^ +name: '(\w+)[\w ]*',$/gm)] : [],
      ),
    ]);
    const { scripts = {} } = JSON.parse(tree.get('package.json') ?? '{}') as { scripts?: Record<string, string> };
    return pages(tree).flatMap(([path, text]) => [
      ...[...text.matchAll(/(?:^ {4,}|`)make ([a-z][\w-]*)/gm)]
        .filter((match) => !verbs.has(match[1]))
        .map((match) => `${path}: make ${match[1]} is no verb of the Makefile`),
      ...[...text.matchAll(/\bnpm run ([\w:-]+)/g)]
        .filter((match) => scripts[match[1]!] === undefined)
        .map((match) => `${path}: npm run ${match[1]} is no script`),
      ...[...text.matchAll(/\bcrier admin (\w+\.\w+)/g)]
        .filter((match) => !procedures.has(match[1]!))
        .map((match) => `${path}: crier admin ${match[1]} is no procedure`),
      ...[...text.matchAll(/(?:`|bin\/)crier ([a-z]+(?:-[a-z]+)*)/g)]
        .filter((match) => !crierVerbs.has(match[1]!))
        .map((match) => `${path}: crier ${match[1]} is no verb`),
    ]);
  },
};

export const NAMED_SETTINGS: Rule = {
  name: 'settings that pages name exist',
  why: 'an unknown setting stops the start, so a page that names one misleads',
  find: (tree) => {
    const code = [...tree].filter(
      ([path]) =>
        path === 'libs/config/settings.ts' ||
        path === 'clients/command-line/credentials.ts' ||
        path.startsWith('libs/testing/') ||
        path.startsWith('test/') ||
        path === 'Makefile',
    );
    const known = new Set(code.flatMap(([, text]) => [...text.matchAll(/CRIER_[A-Z0-9_]+/g)].map((match) => match[0])));
    // The names of the Networks' settings are made; a test holds this page to the table that they are made from.
    const table = tree.get('docs/settings.md') ?? '';
    for (const [, name] of table.matchAll(/^\| (CRIER_[A-Z0-9_]+) \|/gm)) known.add(name!);
    // Each secret may stand in a file that another variable names.
    for (const [, name] of table.matchAll(/^\| (CRIER_[A-Z0-9_]+) \|[^|]*\|[^|]*, secret \|/gm))
      known.add(`${name}_FILE`);
    return pages(tree).flatMap(([path, text]) =>
      [...text.matchAll(/\bCRIER_[A-Z0-9_]+\b(?!\*)/g)]
        .filter((match) => !known.has(match[0]))
        .map((match) => `${path}: ${match[0]} is no setting`),
    );
  },
};

export const NAMED_METRICS: Rule = {
  name: 'metrics that pages name exist',
  why: 'an alert on a metric that does not exist never fires',
  find: (tree) => {
    const known = declaredMetrics(tree);
    // A decision also names what it replaced.
    const current = pages(tree).filter(([path]) => !path.startsWith('docs/adr/'));
    return current.flatMap(([path, text]) =>
      [...namesIn(text, /\b(crier_[a-z]+(?:_[a-z]+)*)\b/g)]
        .filter((name) => !known.has(name))
        .map((name) => `${path}: ${name} is no metric`),
    );
  },
};

function namesIn(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map((match) => match[1]!));
}

/** `<name>` and `*` stand for any name. */
function isThere(tree: Tree, named: string): boolean {
  const path = named.replace(/\/$/, '').replaceAll('.', '\\.');
  const pattern = new RegExp(`^${path.replace(/\*\*/g, '.+').replace(/<[\w-]+>|(?<!\.)\*|(?<=\/)\*/g, '[^/]+')}(/|$)`);
  return [...tree.keys()].some((file) => pattern.test(file));
}

function exists(tree: Tree, target: string): boolean {
  return tree.has(target) || [...tree.keys()].some((path) => path.startsWith(`${target}/`));
}

/** As a renderer makes anchors of headings. */
function headings(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
      match[1]!
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The cells of a page's table rows, without heads and rules. Tables with another head hold what was measured. */
function rowsOf(text: string): string[][] {
  return text
    .replaceAll(/^\|(?! ?(?:Promise|Attack)).*\n\|[\s|:-]+\|\n(?:\|.*\n?)*/gm, '')
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line) && !/^\| ?(Promise|Attack)/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
}

/** A title as it stands between quotes in the source. */
function isTestIn(text: string, title: string): boolean {
  const quoted = title.replaceAll("'", "\\'");
  return [`'${title}'`, `'${quoted}'`, `"${title}"`, `\`${title}\``].some((literal) => text.includes(literal));
}
