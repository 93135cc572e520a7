import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const SCHEMA_NAMESPACE = 'crier';
export const SCHEMA_FOLDER = new URL('../../schemas/avro/', import.meta.url);

/** One version of one message's schema. It never changes once a release contained it. */
export interface SchemaVersion {
  /** In the built-in registry; never given twice. */
  readonly id: number;
  /** As `MessageType`; the schema's full name is `crier.<name>`. */
  readonly name: string;
  /** From 1. */
  readonly version: number;
  readonly fingerprint: string;
  /** The data format from which on it is written; left out: every one. */
  readonly format?: number;
  /** The schema, JSON. */
  readonly text: string;
}

export type SchemaLock = readonly Omit<SchemaVersion, 'text'>[];

export function historyFile(name: string, version: number): string {
  return `history/${name}.${version}.avsc`;
}

/** Every schema this release knows, in order of id: those in ids.lock.json, from their frozen copies. */
export function readSchemaHistory(folder: URL = SCHEMA_FOLDER): readonly SchemaVersion[] {
  const lock = JSON.parse(readFileSync(new URL('ids.lock.json', folder), 'utf8')) as SchemaLock;
  return lock.map((entry) => ({
    ...entry,
    text: readFileSync(new URL(historyFile(entry.name, entry.version), folder), 'utf8'),
  }));
}

/**
 * The newest version of each message: what this release reads everything as, and writes. With a `format`: what it
 * writes while that is the format of the installation.
 */
export function currentSchemas(
  history: readonly SchemaVersion[],
  format = Infinity,
): ReadonlyMap<string, SchemaVersion> {
  const current = new Map<string, SchemaVersion>();
  for (const schema of history) {
    if ((schema.format ?? 0) > format) continue;
    const other = current.get(schema.name);
    if (other === undefined || other.version < schema.version) current.set(schema.name, schema);
  }
  return current;
}

/** Every version that this release writes in some format of the installation: the newest first, then those before. */
export function writableSchemas(history: readonly SchemaVersion[]): readonly SchemaVersion[] {
  const formats = new Set(history.map(({ format }) => format ?? 0));
  return [...new Set([...formats].flatMap((format) => [...currentSchemas(history, format).values()]))];
}

/** SHA-256, hex, over everything but `doc` and white space: rewording what a field means makes no new version. */
export function fingerprintOf(text: string): string {
  const withoutDocs = JSON.stringify(JSON.parse(text), (key, value: unknown) => (key === 'doc' ? undefined : value));
  return createHash('sha256').update(withoutDocs).digest('hex');
}
