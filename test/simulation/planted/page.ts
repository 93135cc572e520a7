import { ROOMS } from './all-bugs.ts';
import { readCatches, type Recorded } from './catches.ts';
import { MAX_WORLDS } from './hunt.ts';
import { NAMED_KINDS } from './kinds.ts';
import type { PlantedBug } from './planted-bug.ts';

const HEAD = `# Planted bugs

Written by \`npm run docs\` from what \`npm run planted -- --record\` found last; do not edit.

Each row is a believable mistake that is put into the source as it is loaded, to see whether the tests notice it: a bug in code that
worlds of the simulation run must make one of ${MAX_WORLDS} worlds fail that is well without it, from seed 1 on, under faults that suit it;
another one must make a test of the named file fail. \`make test\` holds that every bug still applies to the source, and looks for
some of them; \`make soak\` looks for all. \`npm run planted -- --bug 'words of its name'\` looks for one.
`;

/** docs/planted-bugs.md. */
export function plantedBugsPage(): string {
  const catches = readCatches();
  const all = ROOMS.flatMap(({ bugs }) => bugs);
  const escaped = all.filter(({ name }) => isEscape(catches[name])).length;
  const unsought = all.filter(({ name }) => catches[name] === undefined).length;
  const noticed = all.length - escaped - unsought;
  const inWorlds = all.filter((bug) => !('suite' in bug));
  const tried = inWorlds.reduce((sum, { name }) => sum + worldsTried(catches[name]), 0);
  const total = `
${all.length} bugs: ${noticed} noticed, ${escaped} escaped, ${unsought} not looked for. ${inWorlds.length} of them are looked for in worlds, of which ${tried}
were tried, and ${all.length - inWorlds.length} by the tests of a file.
`;
  const rooms = ROOMS.map(({ room, chosenBy, bugs }) => {
    const rows = bugs.map((bug) => rowOf(bug, catches[bug.name]));
    const chosen = chosenBy === undefined ? [] : [`${chosenBy}\n`];
    return [
      `\n## ${room}\n`,
      ...chosen,
      '| Planted | In | Noticed by | World |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n');
  });
  return `${HEAD}${total}${rooms.join('')}${kindsTable()}`;
}

function kindsTable(): string {
  const rows = NAMED_KINDS.map(({ kind, bugs }) => `| ${kind} | ${bugs.join('; ')} |`);
  return `
## Kinds that an audit named

An audit by a reader who had not written the checks planted bugs that most worlds of then did not notice, and found defects. Each kind
of either has a planted bug now. One defect has none, as only a broker shows it: that settings of topics which were there before are checked
(\`test/guarantees/migrate.cluster.test.ts\`). What it planted and worlds noticed at once is not listed.

| Kind | Planted |
|---|---|
${rows.join('\n')}
`;
}

/** From seed 1 on, to the one that noticed the bug. */
function worldsTried(found: Recorded | undefined): number {
  if (found === undefined || 'suite' in found) return 0;
  return 'seed' in found ? found.seed : found.escapedWorlds;
}

function isEscape(found: Recorded | undefined): boolean {
  return found !== undefined && 'escapedWorlds' in found;
}

function rowOf(bug: PlantedBug, found: Recorded | undefined): string {
  const files = [...new Set(bug.edits.map(({ file }) => `\`${file}\``))].join(', ');
  return `| ${[bug.name, files, ...wordsOf(bug, found)].map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
}

function wordsOf(bug: PlantedBug, found: Recorded | undefined): readonly [by: string, world: string] {
  if (found === undefined) return ['**was not looked for**', ''];
  if ('suite' in found) return [`\`${found.suite}\`: ${found.test}`, ''];
  if ('seed' in found) return [found.checks || 'the world does not come to its end', String(found.seed)];
  return [
    'suite' in bug ? `**escapes** \`${bug.suite}\`` : '**escapes**',
    'suite' in bug ? '' : `${found.escapedWorlds} worlds`,
  ];
}
