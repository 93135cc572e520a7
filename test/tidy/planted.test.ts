import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ARROWS } from './arrows.ts';
import { CALLS, CONSTRUCTS, NO_HTML, PROMISES } from './banned.ts';
import { NAMED_EVENTS, REPORTED_EVENTS } from './catalogue.ts';
import { CYCLES } from './cycles.ts';
import { DEAD_FILES } from './dead-files.ts';
import { COMMENTED_FILES, GUARANTEES, LINKS, NAMED_FILES, NAMED_METRICS, NAMED_SETTINGS, VERBS } from './docs.ts';
import { ENVIRONMENT, UNREAD_SETTINGS } from './environment.ts';
import { DEAD_EXPORTS, HOMONYMS, NOUNS } from './exports.ts';
import { FILE_NAMES, NO_BARRELS, NO_DEFAULTS } from './names.ts';
import { EXACT_VERSIONS, NO_PLACES, NO_REPORTS } from './packages.ts';
import { RUNBOOK } from './runbook.ts';
import { FILE_SIZES, FUNCTION_SIZES, LINE_WIDTHS } from './sizes.ts';
import type { Rule } from './tree.ts';

const IMPORTS = readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8');
const importing = (target: string, types = false): string =>
  `import ${types ? 'type ' : ''}{\n  x,\n} from '${target}';\n`;
const lines = (count: number): string => 'const a = 1;\n'.repeat(count);

type Planted = readonly [rule: Rule, path: string, text: string, ...others: (readonly [path: string, text: string])[]];

const CAUGHT: readonly Planted[] = [
  [ARROWS, 'libs/domain/post/x.ts', importing('#ports/log.ts', true)],
  [ARROWS, 'libs/ports/x.ts', importing('../tables/declarations/tables.ts', true)],
  [ARROWS, 'libs/tables/x.ts', importing('#codec/avro-codec.ts')],
  [ARROWS, 'libs/adapters/kafka/x.ts', importing('#commands/request-command.ts')],
  [ARROWS, 'libs/media/x.ts', importing('#commands/request-command.ts', true)],
  [ARROWS, 'libs/runtime/x.ts', importing('#adapters/memory/clock.ts', true)],
  [ARROWS, 'libs/networks/x.ts', importing('#services/publisher/publish/machine.ts', true)],
  [ARROWS, 'services/ingress/x.ts', importing('#services/workspace/actor.ts', true)],
  [ARROWS, 'services/ingress/x.ts', importing('../scheduler/heap.ts')],
  [ARROWS, 'services/ingress/x.ts', importing('#adapters/sqlite/log.ts')],
  [ARROWS, 'services/sandbox/x.ts', importing('#networks/x/limits.ts')],
  [ARROWS, 'services/admin/x.ts', `const log = await import('#adapters/kafka/log.ts');\n`],
  [ARROWS, 'libs/runtime/x.ts', importing('#testing/scenario.ts')],
  [ARROWS, 'libs/runtime/x.ts', importing('../../test/e2e/memory-world.ts')],
  [
    CYCLES,
    'libs/domain/x.ts',
    importing('./y.ts', true),
    ['libs/domain/y.ts', importing('./z.ts')],
    ['libs/domain/z.ts', importing('./x.ts')],
  ],
  [FILE_SIZES, 'libs/domain/x.ts', lines(501)],
  [FILE_SIZES, 'libs/domain/x.test.ts', lines(801)],
  [FUNCTION_SIZES, 'libs/domain/x.ts', `export function f(): void {\n${'  a();\n'.repeat(70)}}\n`],
  [
    FUNCTION_SIZES,
    'libs/domain/x.ts',
    `class A {\n  async #f(\n    a: number,\n  ): Promise<void> {\n${'    a();\n'.repeat(70)}  }\n}\n`,
  ],
  [FUNCTION_SIZES, 'libs/domain/x.test.ts', `const f = (a) => {\n${'  a();\n'.repeat(160)}};\n`],
  [LINE_WIDTHS, 'libs/domain/x.ts', `f(${'a, '.repeat(61)}b);\n`],
  [CALLS, 'services/ingress/x.ts', 'const at = Date.now();\n'],
  [CALLS, 'services/ingress/x.ts', 'const at = new Date().toISOString();\n'],
  [CALLS, 'libs/domain/x.ts', 'const chance = Math.random();\n'],
  [CALLS, 'libs/runtime/x.ts', 'setTimeout(f, 10);\n'],
  [CALLS, 'libs/runtime/x.ts', "import timers from 'node:timers/promises';\n"],
  [CALLS, 'libs/runtime/x.ts', "import { randomUUID } from 'node:crypto';\n"],
  [CALLS, 'libs/networks/x.ts', 'const answer = await fetch(url);\n'],
  [CALLS, 'services/crier/x.ts', "console.log('ready');\n"],
  [CONSTRUCTS, 'libs/domain/x.test.ts', "test.only('a', () => {});\n"],
  [CONSTRUCTS, 'libs/domain/x.test.ts', "describe.skip('a', () => {});\n"],
  [CONSTRUCTS, 'libs/domain/x.ts', 'export const enum Colour { Red }\n'],
  [CONSTRUCTS, 'libs/domain/x.ts', 'class A {\n  constructor(a: number, private readonly b: string) {}\n}\n'],
  [CONSTRUCTS, 'libs/domain/x.ts', 'const a = b as any;\n'],
  [CONSTRUCTS, 'libs/domain/x.ts', 'debugger;\n'],
  [NO_HTML, 'clients/app/x.tsx', 'const a = <p dangerouslySetInnerHTML={{ __html: text }} />;\n'],
  [NO_HTML, 'clients/app/x.ts', 'element.innerHTML = text;\n'],
  [PROMISES, 'docs/x.md', 'TODO: write this\n'],
  [ENVIRONMENT, 'services/crier/x.ts', "const port = process.env['PORT'];\n"],
  [
    UNREAD_SETTINGS,
    'libs/config/settings.ts',
    "  port: port('CRIER_PORT', '8080', 'Port'),\n",
    ['services/crier/cli/start.ts', 'listen(config.ports);\n'],
  ],
  [FILE_NAMES, 'libs/domain/postRules.ts', ''],
  [FILE_NAMES, 'libs/domain/utils.ts', ''],
  [FILE_NAMES, 'libs/domain/index.ts', ''],
  [NO_BARRELS, 'libs/domain/post.ts', "// All of it.\nexport * from './a.ts';\nexport { b } from './b.ts';\n"],
  [NO_DEFAULTS, 'libs/domain/post.ts', 'export default class Post {}\n'],
  [DEAD_FILES, 'libs/domain/post.ts', '', ['docs/design.md', 'see post.ts']],
  [DEAD_EXPORTS, 'libs/domain/x.ts', 'export const a = 1;\n', ['libs/domain/y.ts', "import { b } from './x.ts';\n"]],
  [DEAD_EXPORTS, 'libs/domain/x.ts', 'export interface A {}\n'],
  [HOMONYMS, 'libs/domain/x.ts', 'export interface A {}\n', ['services/media/x.ts', 'export type A = string;\n']],
  [NOUNS, 'libs/domain/x.ts', 'export type Refused = string;\n'],
  [COMMENTED_FILES, 'libs/domain/x.ts', '/** As libs/domain/nowhere.ts says. */\n'],
  [EXACT_VERSIONS, 'package.json', '{"dependencies":{"a":"^1.2.3"}}'],
  [EXACT_VERSIONS, 'package.json', '{"devDependencies":{"a":"latest"}}'],
  [EXACT_VERSIONS, 'test/bench/peers/packages/package.json', '{"dependencies":{"a":"~1.2.3"}}'],
  [NO_REPORTS, 'package.json', '{"scarfSettings":{}}', ['package-lock.json', '{"node_modules/@scarf/scarf": {}}']],
  [NO_PLACES, 'docs/x.md', 'Look into /home/me/crier\n'],
  [NO_PLACES, 'package-lock.json', '  "resolved": "https://mirror.example/a-1.0.0.tgz",\n'],
  [NO_PLACES, '.npmrc', 'registry=https://registry.npmjs.org/\n'],
  [LINKS, 'README.md', 'See [there](docs/nowhere.md).\n'],
  [LINKS, 'README.md', 'See [there](docs/a.md#two).\n', ['docs/a.md', '# One\n']],
  [NAMED_FILES, 'README.md', 'Open `libs/domain/nowhere.ts`.\n'],
  [GUARANTEES, 'docs/guarantees.md', '| A | `a.test.ts` | `holds` |\n', ['a.test.ts', "test('held', f);"]],
  [GUARANTEES, 'docs/guarantees.md', '| A | `b.test.ts` | `holds` |\n'],
  [GUARANTEES, 'docs/guarantees.md', '| A promise alone |\n'],
  [VERBS, 'README.md', '    make coffee\nand `make tea`\n', ['Makefile', 'tea: ## Boil\n']],
  [VERBS, 'README.md', 'npm run coffee\n'],
  [VERBS, 'README.md', 'crier admin posts.make\n', ['services/admin/client.ts', "  'posts.list',\n"]],
  [VERBS, 'README.md', 'Type `crier strat`.\n', ['services/crier/cli/main.ts', '  start: async (flags) => 0,\n']],
  [
    NAMED_METRICS,
    'docs/runbook.md',
    '| crier_turns |',
    ['libs/reporting/catalogue/workspaces.ts', "counter('crier_turns_total')"],
  ],
  [
    NAMED_EVENTS,
    'docs/runbook.md',
    'The line `turn-missing` names it; the event `turn-lost` too.',
    ['libs/reporting/catalogue/workspaces.ts', "  'turn-lost': event({\n"],
  ],
  [RUNBOOK, 'docs/runbook.md', '# R\n## Late\n```sh\ncrier doctor\n```\n'],
  [RUNBOOK, 'docs/runbook.md', '| [Late](#late) | page | lateness |\n\n## Late\nLook at it.\n'],
  [RUNBOOK, 'docs/runbook.md', '| [Late](#late) | page | lateness |\n'],
  [RUNBOOK, 'docs/runbook.md', '| [Late](#late) | urgent | lateness |\n\n## Late\n```sh\ncrier doctor\n```\n'],
  [
    REPORTED_EVENTS,
    'libs/reporting/catalogue/workspaces.ts',
    "  'turn-lost': repeatedWarning({\n",
    ['services/workspace/actor.ts', "// reporter.report('turn-lost');\nreporter.failure('turn-lost', error);\n"],
    ['services/workspace/actor.test.ts', "reporter.report('turn-lost');\n"],
  ],
  [
    REPORTED_EVENTS,
    'libs/reporting/catalogue/workspaces.ts',
    "  'handling-retried': retried('It is handled again'),\n",
    ['services/workspace/actor.ts', "reporter.failure('handling-failed', error);\n"],
  ],
  [
    REPORTED_EVENTS,
    'libs/reporting/catalogue/workspaces.ts',
    "const turns = counter(\n  'crier_turns_total',\n);\nconst feeds = [counts(turnsLost)];\n",
  ],
  [
    REPORTED_EVENTS,
    'libs/reporting/catalogue/timers.ts',
    "  timersQueued: gauge('crier_timers_queued', 'Timers'),\n",
    ['services/crier/compose/x.ts', "metrics.watch('timersFired', read);\n"],
  ],
  [NAMED_SETTINGS, 'README.md', 'Set CRIER_PROT=80.\n', ['libs/config/settings.ts', "'CRIER_PORT'"]],
];

test.each(
  CAUGHT.map((planted) => ({ name: planted[0].name, text: planted[2].replaceAll('\n', ' ').slice(0, 60), planted })),
)('caught: $name, by $text', ({ planted: [rule, path, text, ...others] }) => {
  expect(rule.find(new Map([['package.json', IMPORTS], ...others, [path, text]]))).toHaveLength(1);
});

const ALLOWED: readonly Planted[] = [
  [ARROWS, 'libs/tables/x.ts', importing('#messages/messages.ts', true)],
  [ARROWS, 'libs/adapters/cassandra/x.ts', importing('#tables/declarations/tables.ts')],
  [ARROWS, 'services/crier/x.ts', importing('#adapters/kafka/log.ts')],
  [ARROWS, 'services/ingress/x.test.ts', importing('#adapters/memory/log.ts')],
  [
    ARROWS,
    'libs/domain/post/x.ts',
    `${importing('../variant/y.ts')}${importing('node:crypto')}// from '#services/x/y.ts'\n`,
  ],
  [
    CYCLES,
    'libs/domain/x.ts',
    importing('./y.ts'),
    ['libs/domain/y.ts', importing('./z.ts')],
    ['libs/domain/z.ts', ''],
  ],
  [
    FUNCTION_SIZES,
    'libs/domain/x.test.ts',
    `describe('a', () => {\n  it('b', () => {\n  });\n${'  a();\n'.repeat(90)}});\n`,
  ],
  [
    FUNCTION_SIZES,
    'libs/domain/x.ts',
    `interface A {\n${'  a: string;\n'.repeat(90)}}\nconst B = {\n${'  a: 1,\n'.repeat(90)}};\n`,
  ],
  [LINE_WIDTHS, 'libs/domain/x.ts', `say('${'a word '.repeat(40)}');\n`],
  [CALLS, 'libs/adapters/system/clock.ts', 'const at = Date.now();\n'],
  [
    CALLS,
    'services/ingress/x.ts',
    '// never Date.now()\nawait table.fetch(key);\nclock.setTimeout();\nnew Date(at);\n',
  ],
  [CALLS, 'examples/x/x.ts', 'console.log(Date.now());\n'],
  [ENVIRONMENT, 'examples/x/x.ts', "const port = process.env['PORT'];\n"],
  [ARROWS, 'libs/media/x.ts', importing('#ports/public-http.ts')],
  [CONSTRUCTS, 'libs/domain/x.ts', 'class A {\n  private readonly b: string;\n}\n'],
  [ENVIRONMENT, 'libs/config/config.ts', 'return process.env;\n'],
  [
    UNREAD_SETTINGS,
    'libs/config/settings.ts',
    "  port: port('CRIER_PORT', '8080', 'Port'),\n",
    ['services/crier/cli/start.ts', 'const { host, port } = config;\n'],
  ],
  [
    REPORTED_EVENTS,
    'libs/reporting/catalogue/workspaces.ts',
    "const turns = counter('crier_turns_total', 'Turns');\n  'turn-lost': event({\n    feeds: [counts(turns)],\n  'turn-failed': failure('It failed'),\n  'turn-retried': retried('It is done again'),\n  queued: gauge('crier_queued', 'Waits'),\n",
    [
      'services/workspace/actor.ts',
      "reporter.report('turn-lost');\nreporter.failure(\n  done ? 'turn-failed' : 'turn-retried',\n  error,\n);\nmetrics.watch(\n  'queued',\n  read);\n",
    ],
  ],
  [DEAD_FILES, 'libs/domain/post.child.ts', '', ['libs/domain/post.test.ts', "spawn('post.child.ts')"]],
  [
    DEAD_EXPORTS,
    'libs/domain/x.ts',
    'export const a = 1;\n',
    ['libs/domain/y.ts', "import { a as b } from './x.ts';\n"],
  ],
  [
    DEAD_EXPORTS,
    'libs/domain/x.ts',
    'export interface A {}\nexport function f(a: A): void {}\n',
    ['libs/domain/y.ts', "import { f } from './x.ts';\n"],
  ],
  [
    HOMONYMS,
    'libs/networks/x/a.ts',
    'export interface A {}\n',
    ['services/sandbox/x/a.ts', 'export type A = string;\n'],
  ],
  [
    COMMENTED_FILES,
    'libs/domain/x.ts',
    '/** As in libs/domain/x.ts, and libs/networks/<name>/limits.ts. */\n',
    ['libs/networks/x/limits.ts', ''],
  ],
  [EXACT_VERSIONS, 'package.json', '{"dependencies":{"a":"1.2.3","b":"npm:@b/client@0.1.0","c":"2.0.0-alpha.1"}}'],
  [
    NO_REPORTS,
    'package.json',
    '{"scarfSettings":{"enabled":false}}',
    ['package-lock.json', '{"node_modules/@scarf/scarf": {}}'],
  ],
  [NO_REPORTS, 'package.json', '{}', ['package-lock.json', '{"node_modules/a": {}}']],
  [
    LINKS,
    'README.md',
    '[a](docs/a.md#the-second-one) [b](https://example.com) [c](docs)\n',
    ['docs/a.md', '## The second one\n'],
  ],
  [NAMED_FILES, 'README.md', 'Add `libs/networks/<name>/limits.ts`.\n', ['libs/networks/x/limits.ts', '']],
  [
    GUARANTEES,
    'docs/guarantees.md',
    "| Promise | File | Test |\n|---|---|---|\n| A | [x](x.md) `a.test.ts` | `an owner's turn` |\n",
    ['a.test.ts', `test("an owner's turn", f);`],
  ],
];

test.each(
  ALLOWED.map((planted) => ({ name: planted[0].name, text: planted[2].replaceAll('\n', ' ').slice(0, 60), planted })),
)('allowed: $name, with $text', ({ planted: [rule, path, text, ...others] }) => {
  expect(rule.find(new Map([['package.json', IMPORTS], ...others, [path, text]]))).toEqual([]);
});
