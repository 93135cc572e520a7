import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lockSchemas } from '#codec/lock.ts';
import { RELEASE } from '#tables/release.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** What a release is made of when it runs. */
const PARTS = ['bin', 'clients', 'deploy', 'docs', 'libs', 'schemas', 'services', 'package.json'];

export interface PlantedRelease {
  /** Its tree. */
  readonly folder: string;
  /** Its `bin/crier`. */
  readonly crier: string;
  /** As package.json has it. */
  readonly version: string;
  /** The format that it knows. */
  readonly format: number;
  [Symbol.dispose](): void;
}

/**
 * The release after this one, in a folder of its own: this tree with a later format, which adds to the bodies of Posts
 * and heads and to a message; a table, to which every turn writes; a column; and the schema version that they need.
 * `adds`: the former release can read all of it; else the format begins a generation.
 */
export function plantRelease({ adds }: { readonly adds: boolean }): PlantedRelease {
  const folder = mkdtempSync(join(tmpdir(), 'crier-planted-'));
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const format = adds ? RELEASE.format + 1 : 100 * (1 + Math.floor(RELEASE.format / 100));
  const edit = (path: string, changes: readonly (readonly [string | RegExp, string])[]): void => {
    const file = join(folder, path);
    let text = readFileSync(file, 'utf8');
    for (const [from, to] of changes) {
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`the release can't be planted: ${path} has no ${String(from)}`);
      text = changed;
    }
    writeFileSync(file, text);
  };

  const version = `99.${format}.0`;
  edit('package.json', [[/"version": "[^"]+"/, `"version": "${version}"`]]);
  edit('libs/tables/release.ts', [
    [/RELEASE: Release = \{[^}]*\}/, `RELEASE: Release = { format: ${format}, writesFrom: ${RELEASE.format} }`],
  ]);
  edit('libs/tables/repositories/installation.ts', [[/(SCHEMA_VERSION = )(\d+);/, '$1$2 + 1;']]);
  edit('libs/tables/declarations/tables.ts', [
    [/(const POSTS: Table = \{)/, "$1 added: [{ name: 'planted', type: 'text' }],"],
    [
      'export const TABLES: readonly Table[] = [',
      `export const PLANTED: Table = { name: 'planted', doc: 'Turns', partitionKey: [text('workspace_id')],
        clusteringKey: [long('at')], clock: 'turn' };
      export const TABLES: readonly Table[] = [ PLANTED,`,
    ],
  ]);
  // In the effects: an outbox has its rows as they are written, whichever release writes them.
  edit('services/workspace/compile-effects.ts', [
    [
      'rows: [...rows.values()]',
      `rows: [...rows.values()].map((row) => context.format < ${format} || row.table !== 'posts' ? row :
        { ...row, value: { ...row.value as object, planted: 'by it' } })`,
    ],
  ]);
  edit('services/workspace/turn.ts', [
    [
      'encodeHead(decided.state!,',
      `encodeHead(input.format < ${format} ? decided.state! : { ...decided.state!, planted: 'by it' },`,
    ],
    [
      '...heldRows(input.state, state)',
      `...heldRows(input.state, state), ...(input.format < ${format} ? [] :
        [{ table: 'planted', partition: [input.workspaceId], clustering: [input.version], value: {} }])`,
    ],
  ]);
  const planted = { name: 'planted', type: 'string', default: 'by it' };
  const avro = join(folder, 'schemas/avro/');
  for (const message of ['VariantsDue', 'PublishVariant']) {
    const file = join(avro, `${message}.avsc`);
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...schema, fields: [...schema.fields, planted] }));
  }
  const { added, conflicts } = lockSchemas(pathToFileURL(avro), undefined, { format, writesFrom: RELEASE.format });
  if (added.length !== 2) throw new Error(`the release can't be planted: its schemas: ${conflicts.join('; ')}`);
  return {
    folder,
    crier: join(folder, 'bin/crier'),
    version,
    format,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
