import { codeLines, isForTests, sources, type Rule, type Tree } from './tree.ts';

const CATALOGUE = /^libs\/reporting\/catalogue(\/[\w-]+)?\.ts$/;
const DECLARED_EVENT = /^ {2}'([\w-]+)': (event|repeatedWarning|failure|retried)\(/gm;
const FED_METRIC = /^const (\w+) = (?:counter|histogram)\(\s*'(crier_\w+)'/gm;
const GAUGE = /^ {2}(\w+): gauge\(\s*'(crier_\w+)'/gm;
/** The first argument of a call may be a choice of two names; `#reportFailure` adds facts to a `failure`. */
const CALL = /[.#](report|failure|reportFailure)\(\s*([^,]*?'[^,]*?)[,)]/g;

export const REPORTED_EVENTS: Rule = {
  name: 'every event of the catalogue is reported, and every metric is fed',
  why: 'an alert or a search for what no code reports stays silent for ever',
  find: (tree) => {
    const calls = callsIn(tree);
    const watched = productText(tree);
    return catalogue(tree).flatMap(([path, text]) => [
      ...[...text.matchAll(DECLARED_EVENT)]
        .map((match) => [match[2] === 'failure' || match[2] === 'retried' ? 'failure' : 'report', match[1]!] as const)
        .filter(([method, event]) => !calls.has(`${method} ${event}`))
        .map(([method, event]) => `${path}: no code calls ${method}('${event}')`),
      ...[...text.matchAll(FED_METRIC)]
        .filter(([, variable]) => !new RegExp(`\\b(?:counts|observes)\\(${variable}\\b`).test(text))
        .map(([, , metric]) => `${path}: no event feeds ${metric}`),
      ...[...text.matchAll(GAUGE)]
        .filter(([, key]) => !new RegExp(`\\.watch\\(\\s*'${key}'`).test(watched))
        .map(([, , metric]) => `${path}: no code watches ${metric}`),
    ]);
  },
};

export const NAMED_EVENTS: Rule = {
  name: 'log events that pages name exist',
  why: 'an operator searches the log for the event that a page names',
  find: (tree) => {
    const known = new Set(
      catalogue(tree).flatMap(([, text]) => [...text.matchAll(DECLARED_EVENT)].map((match) => match[1]!)),
    );
    return [...tree]
      .filter(([path]) => path.endsWith('.md'))
      .flatMap(([path, text]) =>
        [...text.matchAll(/\b(?:[Ll]ine|[Ee]vent) `([a-z]+(?:-[a-z]+)+)`/g)]
          .filter((match) => !known.has(match[1]!))
          .map((match) => `${path}: ${match[1]} is no event of the log`),
      );
  },
};

/** The metrics that the catalogue declares. */
export function declaredMetrics(tree: Tree): ReadonlySet<string> {
  return new Set(
    catalogue(tree).flatMap(([, text]) => [...text.matchAll(/'(crier_[a-z_]+)'/g)].map((match) => match[1]!)),
  );
}

function catalogue(tree: Tree): [path: string, text: string][] {
  return sources(tree).filter(([path]) => CATALOGUE.test(path));
}

function callsIn(tree: Tree): ReadonlySet<string> {
  return new Set(
    [...productText(tree).matchAll(CALL)].flatMap(([, method, first]) =>
      [...first!.matchAll(/'([\w-]+)'/g)].map((match) => `${method === 'report' ? 'report' : 'failure'} ${match[1]}`),
    ),
  );
}

function productText(tree: Tree): string {
  return sources(tree)
    .filter(([path]) => /^(libs|services)\//.test(path) && !isForTests(path) && !CATALOGUE.test(path))
    .flatMap(([, text]) => codeLines(text).map(([, line]) => line))
    .join('\n');
}
