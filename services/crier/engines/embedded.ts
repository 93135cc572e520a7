import { join } from 'node:path';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { lockDataFolder } from '#adapters/sqlite/data-folder.ts';
import { openingFailure } from '#adapters/sqlite/storage-failure.ts';
import { tighten } from '#adapters/sqlite/private-files.ts';
import { createSharedSqliteLog } from '#adapters/sqlite/log.ts';
import { openSyncedDatabase, type SyncedDatabase } from '#adapters/sqlite/synced-database.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { createSteadyClock } from '#adapters/system/steady-clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { BUILT_IN, createTableRegistry, storeSchemas } from '#codec/registry/table.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { TwoBodiesError } from '#ports/two-bodies.ts';
import type { Config } from '#config/config.ts';
import { checkReadable, readSchemaVersion } from '#tables/repositories/installation.ts';
import { readClockAhead } from '#tables/repositories/clock-ahead.ts';
import { checkFormat, readStoredFormat } from '#tables/repositories/written-formats.ts';
import { WrittenFormat } from '#tables/release.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import type { Engine } from './engine.ts';
import { refuseUnfinishedRestore } from '../backup/unfinished-restore.ts';
import { fillTables } from '../migrate/migrate.ts';
import { loadSecrets } from './secrets.ts';

const DATABASE = 'crier.db';

/** Files in the data folder that releases before the umask may have made readable to others. */
const OWN_FILES = [
  DATABASE,
  'sandbox.db',
  'secrets.json',
  'running.json',
  'demo.json',
  'inbox-authority.json',
  'owner.pid',
  'blobs',
  'sandbox-files',
  'under-way',
];

/**
 * Opens one data folder, locked for this process, and makes what this release needs in it. Rejects with `PortError`
 * `unavailable`, with a line for the operator, when the folder can not be locked or opened. `onLost` is called when the
 * disk refused to sync: the process has to end.
 */
export async function openEmbeddedEngine(
  config: Config,
  reporter: Reporter,
  onLost: (error: Error) => void = () => {},
): Promise<Engine> {
  const folder = await lockDataFolder(config.dataDir);
  let opened: SyncedDatabase | null = null;
  try {
    refuseUnfinishedRestore(config.dataDir);
    tighten(config.dataDir, OWN_FILES);
    const ids = createSystemIds();
    const blobs = await createFilesystemBlobStore({ folder: join(config.dataDir, 'blobs') });
    const kept = loadSecrets(config.dataDir, ids);
    // Log and tables in one file: what a turn of the event loop appends and writes costs one fsync together.
    const onCheckpointFailed = (error: Error) => reporter.failure('checkpoint-failed', error);
    const synced = await openSyncedDatabase(join(config.dataDir, DATABASE), { onBroken: onLost, onCheckpointFailed });
    opened = synced;
    const { database, commits } = synced;
    const clock = createSteadyClock();
    // A second body of a row is a defect. In production it is reported and the first body stays: refused at every
    // repetition, it would park its Workspace for good.
    const onTwoBodies = (error: TwoBodiesError) => reporter.failure('row-body-conflict', error, { table: error.table });
    const store = createSqliteTableStore({
      database,
      commits,
      clock,
      // Made below, once the clock is right; nothing is appended before.
      log: { place: (topic, records) => log.place(topic, records) },
      ...(config.verifyRows === true ? {} : { onTwoBodies }),
    });
    checkReadable(await readSchemaVersion(store));
    checkFormat(await readStoredFormat(store));
    clock.advance(await readClockAhead(store));
    const log = createSharedSqliteLog({ database, commits }, { topics: TOPICS, clock, reporter });
    await fillTables({
      store,
      clock,
      ids,
      storeSchemas: (tables) => storeSchemas(tables, BUILT_IN, readSchemaHistory()),
    });
    const writtenFormat = new WrittenFormat();
    return {
      log,
      store,
      writtenFormat,
      blobs,
      clock,
      ids,
      codec: createCodec({
        registry: createTableRegistry({ inner: createBuiltInRegistry(), store, registry: BUILT_IN }),
        format: () => writtenFormat.now(),
      }),
      secrets: { adminToken: config.adminToken ?? kept.adminToken, secret: config.secret ?? kept.secret },
      hasSoleProcess: true,
      leaps: clock,
      clockReference: null,
      // Everything that this release needs was made above.
      ready: async () => {},
      // A busy hour leaves a long write-ahead log, which every start would read.
      chores: [{ name: 'checkpoint', at: '23 * * * *', run: async () => synced.checkpoint() }],
      close: async () => {
        await log.close();
        await store.close();
        await synced.close();
        await folder.release();
      },
    };
  } catch (error) {
    await opened?.close();
    await folder.release();
    throw openingFailure(join(config.dataDir, DATABASE), error);
  }
}
