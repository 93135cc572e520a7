import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createMemoryStore } from './memory-store.ts';
import { createSqliteStore } from './sqlite-store.ts';
import type { SandboxStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clock = createSystemClock();
let files = 0;
const nextFile = () => join(folder, `${files++}.db`);

describe.each([
  ['memory', createMemoryStore],
  ['sqlite', () => createSqliteStore(nextFile(), clock)],
] as readonly (readonly [string, () => SandboxStore])[])('the %s store', (_name, open) => {
  test('returns the last value put, durable or not', async () => {
    const store = open();
    expect(store.get('a', 'k')).toBeNull();
    store.put('a', 'k', { v: 1 });
    store.put('b', 'k', { v: 2 });
    expect([store.get('a', 'k'), store.get('b', 'k')]).toEqual([{ v: 1 }, { v: 2 }]);
    await store.durable();
    store.put('a', 'k', { v: 3 });
    expect(store.get('a', 'k')).toEqual({ v: 3 });
    store.delete('a', 'k');
    expect(store.get('a', 'k')).toBeNull();
    await store.close();
  });

  test('scans a prefix in key order, between bounds, either way, up to a limit', async () => {
    const store = open();
    for (const key of ['p/3', 'q/1', 'p/1', 'p/2', 'o/9', 'p/4']) store.put('s', key, { key });
    store.put('t', 'p/2', { key: 'other shelf' });
    await store.durable();
    store.delete('s', 'p/4');
    const keys = (range: Parameters<SandboxStore['scan']>[1]) => store.scan('s', range).map(({ key }) => key);
    expect(keys({})).toEqual(['o/9', 'p/1', 'p/2', 'p/3', 'q/1']);
    expect(keys({ prefix: 'p/' })).toEqual(['p/1', 'p/2', 'p/3']);
    expect(keys({ prefix: 'p/', above: 'p/1' })).toEqual(['p/2', 'p/3']);
    expect(keys({ prefix: 'p/', below: 'p/3', descending: true })).toEqual(['p/2', 'p/1']);
    expect(keys({ prefix: 'p/', descending: true, limit: 1 })).toEqual(['p/3']);
    expect(keys({ prefix: 'p/', above: 'a', below: 'z' })).toEqual(['p/1', 'p/2', 'p/3']);
    store.deleteBefore('s', 'p/', 'p/3');
    expect(keys({})).toEqual(['o/9', 'p/3', 'q/1']);
    expect(store.get('s', 'p/1')).toBeNull();
    await store.close();
  });
});

test('durable values are there after the process ended without closing', async () => {
  const file = nextFile();
  const store = createSqliteStore(file, clock);
  for (let i = 0; i < 25_000; i++) store.put('s', String(i).padStart(6, '0'), { i });
  await store.durable();
  await store.close();
  const again = createSqliteStore(file, clock);
  expect(again.scan('s', {}).length).toBe(25_000);
  expect(again.get('s', '024999')).toEqual({ i: 24_999 });
  await again.close();
});

test('writes of one moment share one commit', async () => {
  const virtual = createMemoryClock();
  const store = createSqliteStore(nextFile(), virtual);
  const waiting = Array.from({ length: 100 }, (_, i) => {
    store.put('s', String(i), { i });
    return store.durable();
  });
  expect(virtual.armed()).toBe(1);
  await virtual.advance(0);
  await Promise.all(waiting);
  await store.close();
});

test('a file that can no longer be written rejects every later durable, and check says why', async () => {
  const store = createSqliteStore(nextFile(), clock);
  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;
  store.put('s', 'k', cyclic);
  await expect(store.durable()).rejects.toThrow();
  await expect(store.durable()).rejects.toThrow();
  expect(store.trouble()).toContain('cannot keep');
});
