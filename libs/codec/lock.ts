import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
export function changesAgainst(history: readonly SchemaVersion[], folder: URL): LockReport {
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
    conflicts.push(...conflictsWithHistory(history, name, text).map((conflict) => `${file} ${conflict}`));
    added.push({ id: ++id, name, version: (newest?.version ?? 0) + 1, fingerprint, text });
  }
  return { added, conflicts };
}

/**
 * Freezes the schemas that changed in `folder` as new versions under new ids, in ids.lock.json and history/; or writes
 * nothing and returns the conflicts.
 */
export function lockSchemas(
  folder: URL = SCHEMA_FOLDER,
  history: readonly SchemaVersion[] = readSchemaHistory(folder),
): LockReport {
  const report = changesAgainst(history, folder);
  if (report.conflicts.length > 0) return report;
  mkdirSync(new URL('history/', folder), { recursive: true });
  for (const { name, version, text } of report.added) writeFileSync(new URL(historyFile(name, version), folder), text);
  const lines = [...history, ...report.added].map(({ id, name, version, fingerprint }) =>
    JSON.stringify({ id, name, version, fingerprint }),
  );
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
