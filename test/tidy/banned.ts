import { codeLines, isExample, isForTests, sources, type Rule } from './tree.ts';

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Where it is allowed. */
  readonly except?: RegExp;
}

const TOOLS_RUN_BY_HAND = /^(libs\/codec\/lock|[\w/-]+\/write-[\w-]+)\.ts$/;

/** What runs on a user's own machine or in the browser is in no simulation, and has no ports. */
const CLIENTS = /^clients\//;

/** Time, chance, the network and the terminal come through ports: simulation and clock.advance hold only then. */
const ONLY_IN_ADAPTERS: readonly Ban[] = [
  { pattern: /\bDate\.now\b|\bnew Date\(\)/, instead: 'Clock.now' },
  { pattern: /\bperformance\.now\b|\bprocess\.hrtime\b/, instead: 'Clock.monotonic' },
  { pattern: /(?<![.\w])(setTimeout|setInterval|setImmediate)\b/, instead: 'Clock.after or Clock.sleep' },
  { pattern: /\bnode:timers\b/, instead: 'Clock.sleep' },
  { pattern: /\bMath\.random\b/, instead: 'Ids.random' },
  { pattern: /\b(randomUUID|randomBytes|randomInt|getRandomValues)\b/, instead: 'Ids' },
  { pattern: /(?<![.\w])fetch\(/, instead: 'HttpClient' },
  {
    pattern: /(?<![.\w])console\./,
    instead: 'Reporter (the command line writes to process.stdout)',
    except: TOOLS_RUN_BY_HAND,
  },
];

const NOWHERE: readonly Ban[] = [
  { pattern: /\b(describe|it|test|suite)(\.\w+)*\.only\b/, instead: 'running the file you want' },
  // A context's own skip, for an engine that can't be had, is counted and named at the end of the run.
  {
    pattern: /\b(describe|it|test|suite)(\.\w+)*\.(skip|todo)\(/,
    instead: 'skipIf with a reason that the run tells, or no test',
  },
  { pattern: /^\s*debugger\b/, instead: 'nothing' },
  {
    pattern: /^\s*(export )?(declare )?(const )?enum \w/,
    instead: 'a union of words: Node runs only what can be erased',
  },
  { pattern: /^\s*(export )?(declare )?namespace \w/, instead: 'a file: Node runs only what can be erased' },
  {
    pattern: /^\s*constructor\((.*, )?(private|public|protected|readonly) (readonly )?\w+\??:/,
    instead: 'a declared field: Node runs only what can be erased',
  },
  {
    pattern: /\bas any\b|<any>|: any\b(?!\w)/,
    instead: 'unknown, and a check',
    except: /\.(test|fixture)\.ts$|^(test|libs\/testing)\//,
  },
  { pattern: /@ts-(ignore|nocheck)/, instead: 'a type that holds' },
];

export const CALLS: Rule = {
  name: 'time, chance, network and terminal are reached through ports',
  why: 'the simulation, clock.advance and every test of time rest on it; only libs/adapters, clients and tests touch the real ones',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) =>
      path.startsWith('libs/adapters/') || CLIENTS.test(path) || isForTests(path) || isExample(path)
        ? []
        : findBans(path, text, ONLY_IN_ADAPTERS),
    ),
};

export const CONSTRUCTS: Rule = {
  name: 'no leftovers, and only TypeScript that can be erased',
  why: 'a focused or skipped test hides failures, and Node runs these files as they are, without a build',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) => (path.startsWith('test/tidy/') ? [] : findBans(path, text, NOWHERE))),
};

const BECOMES_HTML: Ban = {
  pattern: /\bdangerouslySetInnerHTML\b|\.(inner|outer)HTML\s*=(?!=)|\binsertAdjacentHTML\b|\bdocument\.write\b/,
  instead: 'elements and their text',
};

export const NO_HTML: Rule = {
  name: 'no text becomes HTML in a browser',
  why: 'what tenants and Networks write is in every page, and would run there',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) => (path.startsWith('clients/') ? findBans(path, text, [BECOMES_HTML]) : [])),
};

const LATER = /\b(TODO|FIXME|XXX|HACK)\b/;

export const PROMISES: Rule = {
  name: 'no notes to do something later',
  why: 'what is missing belongs in an issue, where somebody looks',
  find: (tree) =>
    [...tree].flatMap(([path, text]) =>
      path.startsWith('test/tidy/') || path === 'package-lock.json'
        ? []
        : text
            .split('\n')
            .flatMap((line, index) => (LATER.test(line) ? [`${path}:${index + 1}: ${LATER.exec(line)![0]}`] : [])),
    ),
};

function findBans(path: string, text: string, bans: readonly Ban[]): string[] {
  return codeLines(text).flatMap(([line, code]) =>
    bans.flatMap(({ pattern, instead, except }) => {
      const match = except?.test(path) === true ? null : pattern.exec(code);
      return match === null ? [] : [`${path}:${line}: ${match[0].trim()} (use ${instead})`];
    }),
  );
}
