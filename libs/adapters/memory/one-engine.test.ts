import { FIRST, SECOND } from '#port-suites/log-harness.ts';
import { oneEngineSuite } from '#port-suites/one-engine.ts';
import { boundStore } from '#testing/bound-store.ts';
import { createMemoryLog } from './log.ts';
import { MemoryTables } from './memory-tables.ts';
import { createMemoryTableStore } from './table-store.ts';

oneEngineSuite('memory', async () => {
  const log = createMemoryLog({ topics: [FIRST, SECOND], syncs: 'later' });
  const shared = { tables: new MemoryTables(), atom: 'store_and_log', log: log.control.within('main') } as const;
  const hooks = {
    before: async ({ name }: { readonly name: string }) => {
      if (name === 'read' || name === 'slice') await log.control.behindAtoms();
      else await log.control.behindAppends();
    },
    after: async () => {},
  };
  const store = {
    ...boundStore(createMemoryTableStore({ ...shared, hooks })),
    unsynced: createMemoryTableStore(shared),
  };
  return {
    log,
    store,
    refuse: async () => {
      log.control.failNextAppend('full');
      return () => {};
    },
    dispose: () => log.close(),
  };
});
