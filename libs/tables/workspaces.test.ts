import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { BODY_FORMAT, encodeBody } from './body.ts';
import { WORKSPACES } from './tables.ts';
import { HEAD, readHead } from './workspaces.ts';

test('a state written before files counted has none that do', async () => {
  const store = createMemoryTableStore();
  const { storage: _, ...before } = aWorkspace().workspace;
  const next = { version: 1, token: 't', body: encodeBody({ state: before, pending: null }), format: BODY_FORMAT };
  await store.compareAndSet(WORKSPACES, { partition: [before.id], clustering: HEAD, expected: null, next });
  expect((await readHead(store, before.id))?.state).toEqual({ ...before, storage: { bytes: 0 } });
});
