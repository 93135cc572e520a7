import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIRST, SECOND } from '#port-suites/log-harness.ts';
import { oneEngineSuite } from '#port-suites/one-engine.ts';
import { createSystemClock } from '../system/clock.ts';
import { fullAfterRead } from './full-after-read.fixture.ts';
import { createSharedSqliteLog } from './log.ts';
import { openSyncedDatabase } from './synced-database.ts';
import { createSqliteTableStore } from './table-store.ts';

oneEngineSuite('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const synced = await openSyncedDatabase(join(folder, 'crier.db'));
  const { database, commits } = synced;
  const clock = createSystemClock();
  const log = createSharedSqliteLog({ database, commits }, { topics: [FIRST, SECOND], clock });
  const store = createSqliteTableStore({ database, commits, clock, log });
  return {
    log,
    store,
    refuse: await fullAfterRead({ database, commits }, log, FIRST.name),
    dispose: async () => {
      await log.close();
      await store.close();
      await synced.close();
      rmSync(folder, { recursive: true });
    },
  };
});
