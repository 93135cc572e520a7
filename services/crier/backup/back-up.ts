import { existsSync } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { blobFiles } from '#adapters/filesystem/blob-files.ts';
import { createPace } from '#adapters/system/pace.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { copyDatabase, rowsByTable } from '#adapters/sqlite/snapshot.ts';
import type { Config } from '#config/config.ts';
import { VERSION } from '#config/version.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import { readClockAhead } from '#tables/repositories/clock-ahead.ts';
import { checkReadable, readSchemaVersion } from '#tables/repositories/installation.ts';
import { secretTrouble } from '#tables/repositories/secret-probe.ts';
import { INSTALLATION } from '#tables/declarations/tables.ts';
import { readPrivate, type Secrets } from '../engines/secrets.ts';
import { tellingFiles } from './file-failure.ts';
import { BACKUP_FORMAT, BLOBS_PREFIX, DATABASE_ENTRY, SECRETS_ENTRY, type Manifest } from './manifest.ts';
import { withTables } from './opened-copy.ts';
import { refuseUnfinishedRestore } from './unfinished-restore.ts';
import { makeWorkFolder } from './work-folder.ts';
import { writeArchive, type ArchiveSource } from './write-archive.ts';

/** Which Workspace and key are the demo's: without it a start makes a second demo. */
const DEMO_ENTRY = 'demo.json';
const BLOB_SUFFIX = '.blob';

export interface BackUpOptions {
  readonly config: Pick<Config, 'dataDir' | 'secret' | 'adminToken' | 'previousSecrets'>;
  /** Must not exist; its folder must. */
  readonly to: string;
  readonly withFiles: boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/** What is known of the copy once its rows were looked into. */
type CopyFacts = Pick<Manifest, 'snapshotAt' | 'schemaVersion' | 'secrets' | 'rows'>;

/**
 * Backs an embedded installation up into one file, whether or not a process runs on it. The file appears under its
 * name when it is whole. Rejects with `PortError` and one sentence, and leaves nothing behind then.
 */
export async function backUp(options: BackUpOptions): Promise<Manifest> {
  const { config, clock, withFiles } = options;
  const [folder, to] = [resolve(config.dataDir), resolve(options.to)];
  const database = join(folder, DATABASE_ENTRY);
  if (!existsSync(folder)) throw new PortError('refused', `there is no data folder ${folder}: name it with --data-dir`);
  refuseUnfinishedRestore(folder);
  if (!existsSync(database))
    throw new PortError('refused', `${folder} is no data folder of Crier: it has no ${DATABASE_ENTRY}`);
  if (existsSync(to)) throw new PortError('refused', `${to} exists already: a backup replaces nothing`);
  return tellingFiles(`can't write a backup to ${dirname(to)}`, async () => {
    await using work = await makeWorkFolder(dirname(to), clock.now());
    const copy = join(work.path, DATABASE_ENTRY);
    const rest = createPace();
    await copyDatabase(database, copy, rest);
    const secrets = secretsOf(config);
    const facts = await lookInto(copy, secrets, options);
    const archive = join(work.path, basename(to));
    const madeAt = new Date(clock.now());
    const manifest = await writeArchive({
      path: archive,
      madeAt,
      rest,
      sources: sourcesOf({ folder, copy, secrets, withFiles }),
      describe: ({ entries, before }) => ({
        format: BACKUP_FORMAT,
        madeAt: madeAt.toISOString(),
        release: VERSION,
        engine: 'embedded',
        files: withFiles ? 'included' : 'by reference',
        ...facts,
        entries,
        before,
      }),
    });
    await place(archive, to);
    return manifest;
  });
}

/** The installation's secrets as far as this command knows them: settings win, as they do at a start. */
function secretsOf({ dataDir, secret, adminToken }: BackUpOptions['config']): Partial<Secrets> {
  const kept = readPrivate<Secrets>(join(dataDir, SECRETS_ENTRY));
  const [known, token] = [secret ?? kept?.secret, adminToken ?? kept?.adminToken];
  return { ...(token !== undefined && { adminToken: token }), ...(known !== undefined && { secret: known }) };
}

async function lookInto(copy: string, secrets: Partial<Secrets>, options: BackUpOptions): Promise<CopyFacts> {
  const { clock, config } = options;
  // The later the instant, the more counts as known to the copy: see the manifest.
  const now = clock.now();
  const rows = rowsByTable(copy);
  if (rows[INSTALLATION.name] === undefined)
    throw new PortError('refused', `${join(config.dataDir, DATABASE_ENTRY)} is no database of Crier`);
  return withTables(copy, clock, async (store) => {
    const schemaVersion = await readSchemaVersion(store);
    checkReadable(schemaVersion);
    const box =
      secrets.secret === undefined
        ? null
        : createSecretBox({ secret: secrets.secret, previousSecrets: config.previousSecrets });
    const isKnown = box !== null && (await secretTrouble(store, box)) === null;
    return {
      snapshotAt: new Date(now + (await readClockAhead(store))).toISOString(),
      schemaVersion,
      secrets: isKnown ? 'included' : 'elsewhere',
      rows,
    };
  });
}

interface Parts {
  readonly folder: string;
  readonly copy: string;
  readonly secrets: Partial<Secrets>;
  readonly withFiles: boolean;
}

/** Files come after the database: what its rows name was stored before they did. */
async function* sourcesOf({ folder, copy, secrets, withFiles }: Parts): AsyncGenerator<ArchiveSource> {
  yield { name: DATABASE_ENTRY, path: copy };
  yield { name: SECRETS_ENTRY, bytes: Buffer.from(`${JSON.stringify(secrets, null, 2)}\n`) };
  yield { name: DEMO_ENTRY, path: join(folder, DEMO_ENTRY) };
  if (!withFiles) return;
  const blobs = join(folder, BLOBS_PREFIX);
  for await (const name of blobFiles(blobs, { prefix: '', after: null, suffix: BLOB_SUFFIX }))
    yield { name: `${BLOBS_PREFIX}${name}${BLOB_SUFFIX}`, path: join(blobs, `${name}${BLOB_SUFFIX}`) };
}

/** Gives the file its name, which nothing may have by then, durably. */
async function place(file: string, to: string): Promise<void> {
  await link(file, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new PortError('refused', `${to} exists already: a backup replaces nothing`);
    // File systems without links.
    if (existsSync(to)) throw error;
    await rename(file, to);
  });
  const folder = await open(dirname(to), 'r');
  await folder.sync().finally(() => folder.close());
}
