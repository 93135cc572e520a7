import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { generationOf, RELEASE, type Release } from '#tables/release.ts';
import { conflictsWithHistory } from './compatibility.ts';
import {
  currentSchemas,
  fingerprintOf,
  historyFile,
  readSchemaHistory,
  SCHEMA_FOLDER,
  type SchemaVersion,
} from './schema-history.ts';

export interface LockReport {
  readonly added: readonly SchemaVersion[];
  /** One line for each conflict; when there are any, nothing was written. */
  readonly conflicts: readonly string[];
}

/** The .avsc files of `folder` that differ from the newest version in `history`, with every conflict in them. */
export function changesAgainst(history: readonly SchemaVersion[], folder: URL, release: Release = RELEASE): LockReport {
  const current = currentSchemas(history);
  const added: SchemaVersion[] = [];
  const conflicts: string[] = [];
  let id = Math.max(0, ...history.map((schema) => schema.id));
  for (const file of readdirSync(folder)
    .filter((entry) => entry.endsWith('.avsc'))
    .sort()) {
    const name = file.slice(0, -'.avsc'.length);
    const text = readFileSync(new URL(file, folder), 'utf8');
    const fingerprint = fingerprintOf(text);
    const newest = current.get(name);
    if (newest?.fingerprint === fingerprint) continue;
    const found = [...conflictsWithHistory(history, name, text), ...newWordsIn(text, newest, release)];
    conflicts.push(...found.map((conflict) => `${file} ${conflict}`));
    added.push({
      id: ++id,
      name,
      version: (newest?.version ?? 0) + 1,
      fingerprint,
      ...sinceFormat(release.format),
      text,
    });
  }
  return { added, conflicts };
}

/**
 * What the release before would hold back, where its format is of the same generation: it could be started again while
 * such records are in the log.
 */
function newWordsIn(text: string, newest: SchemaVersion | undefined, { format, writesFrom }: Release): string[] {
  if (format === writesFrom || generationOf(format) > generationOf(writesFrom)) return [];
  if (newest === undefined) return ['is a new message: that begins a generation of formats'];
  const known = vocabularyOf(newest.text);
  const words = [...vocabularyOf(text)].filter((word) => !known.has(word));
  return words.map((word) => `has the new word ${word}: that begins a generation of formats`);
}

/** Every word with the field that it is of. */
function vocabularyOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  JSON.parse(text, (_, value: unknown) => {
    const { name, vocabulary } = (value ?? {}) as { readonly name?: unknown; readonly vocabulary?: unknown };
    if (Array.isArray(vocabulary)) for (const word of vocabulary) words.add(`${String(name)} ${JSON.stringify(word)}`);
    return value;
  });
  return words;
}

/** Versions of the first format, which every process writes, do not name it. */
function sinceFormat(format: number): Pick<SchemaVersion, 'format'> {
  return format > 1 ? { format } : {};
}

/**
 * Freezes the schemas that changed in `folder` as new versions under new ids, in ids.lock.json and history/; or writes
 * nothing and returns the conflicts.
 */
export function lockSchemas(
  folder: URL = SCHEMA_FOLDER,
  history: readonly SchemaVersion[] = readSchemaHistory(folder),
  release: Release = RELEASE,
): LockReport {
  const report = changesAgainst(history, folder, release);
  if (report.conflicts.length > 0) return report;
  mkdirSync(new URL('history/', folder), { recursive: true });
  for (const { name, version, text } of report.added) writeFileSync(new URL(historyFile(name, version), folder), text);
  const lines = [...history, ...report.added].map(({ text: _, ...entry }) => JSON.stringify(entry));
  writeFileSync(new URL('ids.lock.json', folder), `[\n  ${lines.join(',\n  ')}\n]\n`);
  return report;
}

// Run by hand after editing schemas/avro/*.avsc: `npx node libs/codec/lock.ts`.
if (import.meta.main) {
  const { added, conflicts } = lockSchemas();
  for (const conflict of conflicts) console.error(conflict);
  if (conflicts.length === 0)
    for (const { id, name, version } of added) console.log(`${name} version ${version} has id ${id}`);
  process.exitCode = conflicts.length === 0 ? 0 : 1;
}
