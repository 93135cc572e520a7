/** What CHANGELOG.md and UPGRADING.md say of one release, or of what is not released yet. */
export interface ReleaseNotes {
  /** `Unreleased`, or a version. */
  readonly name: string;
  /** Null in UPGRADING.md, and where nothing was released yet. */
  readonly date: string | null;
  /** The text below the heading. */
  readonly text: string;
}

const HEADING = /^## \[?([^\]\s]+)\]?(?: - (\S+))?$/;
const ADDRESS = /^\[[^\]]+\]: \S+$/gm;

/** In the order of the page, newest first. */
export function notesIn(page: string): readonly ReleaseNotes[] {
  const [, ...parts] = page.replaceAll(ADDRESS, '').split(/^(?=## )/m);
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const match = HEADING.exec(heading);
    if (match === null) throw new Error(`"${heading}" is the heading of no release`);
    return { name: match[1]!, date: match[2] ?? null, text: lines.join('\n').trim() };
  });
}

const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
const VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** What is wrong with CHANGELOG.md as of this release, a line each. */
export function changelogFaults(page: string, version: string): readonly string[] {
  const notes = notesIn(page);
  const [first, ...released] = notes;
  const dates = released.map(({ date }) => date ?? '');
  return [
    ...(first?.name === 'Unreleased' ? [] : ['the first heading is not [Unreleased]']),
    ...(released[0]?.name === version ? [] : [`the newest release is ${released[0]?.name}, the code is ${version}`]),
    ...released.flatMap(({ name }) => (VERSION.test(name) ? [] : [`${name} is no version`])),
    ...released.flatMap(({ name, date }) =>
      /^\d{4}-\d\d-\d\d$/.test(date ?? '') ? [] : [`${name} has no date as 2026-12-31`],
    ),
    ...(dates.join() === [...dates].sort().reverse().join() ? [] : ['releases are not in the order of their dates']),
    ...notes.flatMap(({ name, text }) => [
      ...[...text.matchAll(/^### (.+)$/gm)]
        .filter(([, kind]) => !KINDS.includes(kind!))
        .map(([, kind]) => `${name} has "${kind}", which is none of ${KINDS.join(', ')}`),
      ...(page.includes(`\n[${name}]: https://`) ? [] : [`${name} has no address at the end of the page`]),
    ]),
  ];
}

const PARTS = ['Before', 'Values and settings', 'Data', 'Back'];

export interface DataVersions {
  readonly schemaVersion: number;
  readonly format: number;
}

/** What is wrong with UPGRADING.md, whose newest entry is what this code does. */
export function upgradingFaults(
  page: string,
  changelog: string,
  { schemaVersion, format }: DataVersions,
): readonly string[] {
  const notes = notesIn(page);
  const named = notes.map(({ name }) => name);
  const changed = notesIn(changelog).map(({ name }) => name);
  const newest = notes[0]?.text ?? '';
  const data = `- **Data**: schema version ${schemaVersion}, format ${format}.`;
  return [
    ...(named.join() === changed.join() ? [] : [`it has ${named.join(', ')}; CHANGELOG.md has ${changed.join(', ')}`]),
    ...notes.flatMap(({ name, text }) =>
      PARTS.filter((part) => !text.includes(`- **${part}**: `)).map((part) => `${name} does not say "${part}"`),
    ),
    ...(newest.includes(data) ? [] : [`the newest entry does not say "${data}"`]),
  ];
}
