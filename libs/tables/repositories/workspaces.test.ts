import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { BODY_FORMAT, encodeBody } from '../rows/body.ts';
import { HeadEncoder } from '../rows/head-encoder.ts';
import { WORKSPACES } from '../declarations/tables.ts';
import { HEAD, readHead } from './workspaces.ts';

const write = (version: number, body: Uint8Array) => ({
  partition: ['w'],
  clustering: HEAD,
  expected: null,
  next: { version, token: 't', body, format: BODY_FORMAT },
});

test.each([
  ['files counted', 'storage', { bytes: 0 }],
  ['there were endpoints', 'endpoints', {}],
] as const)('a state written before %s is read as one that has none', async (_since, part, none) => {
  const store = createMemoryTableStore();
  const { [part]: _, ...before } = aWorkspace().workspace;
  await store.compareAndSet(WORKSPACES, write(1, encodeBody({ state: before, pending: null })));
  expect((await readHead(store, 'w'))?.state).toEqual({ ...before, [part]: none });
});

test('a head is read as it was written', async () => {
  const store = createMemoryTableStore();
  const state = aWorkspace().workspace;
  await store.compareAndSet(WORKSPACES, write(7, new HeadEncoder().encodeHead(state, 'null')));
  expect(await readHead(store, 'w')).toEqual({ state, pending: null, version: 7, token: 't' });
});
