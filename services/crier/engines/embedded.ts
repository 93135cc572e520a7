import { join } from 'node:path';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { checkpoint, closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { lockDataFolder } from '#adapters/sqlite/data-folder.ts';
import { tighten } from '#adapters/sqlite/private-files.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { createSharedSqliteLog } from '#adapters/sqlite/log.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { BUILT_IN, createTableRegistry, storeSchemas } from '#codec/registry/table.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { TwoBodiesError } from '#ports/two-bodies.ts';
import type { Config } from '#config/config.ts';
import { readClockAhead } from '#tables/repositories/clock-ahead.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import type { Engine } from './engine.ts';
import { fillTables } from '../migrate/migrate.ts';
import { loadSecrets } from './secrets.ts';

/** What releases that knew of no umask made in the data folder. */
const OWN_FILES = [
  'crier.db',
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
 * One data folder, taken for this process; what a release needs in it is made at once. Rejects with `PortError`
 * `unavailable` and a line for the operator when the folder can't be had.
 */
export async function openEmbeddedEngine(config: Config, reporter: Reporter): Promise<Engine> {
  const folder = await lockDataFolder(config.dataDir);
  try {
    tighten(config.dataDir, OWN_FILES);
    const ids = createSystemIds();
    const blobs = await createFilesystemBlobStore({ folder: join(config.dataDir, 'blobs') });
    const kept = loadSecrets(config.dataDir, ids);
    // Log and tables in one file: what a turn of the event loop appends and writes costs one fsync together.
    const database = openDatabase(join(config.dataDir, 'crier.db'));
    const commits = new GroupCommit(database);
    const clock = createSystemClock();
    // A defect, which in production must not park the Workspace that meets it: refused again and again, it could never
    // go on.
    const onTwoBodies = (error: TwoBodiesError) => reporter.failure('two-bodies', error, { table: error.table });
    const store = createSqliteTableStore({
      database,
      commits,
      clock,
      ...(config.verifyRows === true ? {} : { onTwoBodies }),
    });
    clock.advance(await readClockAhead(store));
    const log = createSharedSqliteLog({ database, commits }, { topics: TOPICS, clock, reporter });
    await fillTables({
      store,
      clock,
      ids,
      storeSchemas: (tables) => storeSchemas(tables, BUILT_IN, readSchemaHistory()),
    });
    return {
      log,
      store,
      blobs,
      clock,
      ids,
      codec: createCodec({
        registry: createTableRegistry({ inner: createBuiltInRegistry(), store, registry: BUILT_IN }),
      }),
      secrets: { adminToken: config.adminToken ?? kept.adminToken, secret: config.secret ?? kept.secret },
      // Whatever could be missing was made above.
      ready: async () => {},
      // A busy hour leaves a long WAL behind, which every start would read through.
      chores: [{ name: 'checkpoint', at: '23 * * * *', run: async () => checkpoint(database) }],
      close: async () => {
        await log.close();
        await store.close();
        await commits.close();
        closeDatabase(database);
        await folder.release();
      },
    };
  } catch (error) {
    await folder.release();
    throw error;
  }
}
