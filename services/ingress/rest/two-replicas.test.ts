import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import type { TableStore } from '#ports/table-store.ts';
import { openIngressHarness, IngressWorld } from '../ingress-harness.fixture.ts';

interface Opened extends AsyncDisposable {
  readonly store: TableStore;
}

function inMemory(): Opened {
  return { store: createMemoryTableStore(), [Symbol.asyncDispose]: async () => {} };
}

function onDisk(): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const database = openDatabase(join(folder, 'tables.sqlite'));
  const commits = new GroupCommit(database);
  const store = createSqliteTableStore({ database, commits, clock: createSystemClock() });
  const close = async () => {
    await store.close();
    await commits.close();
    closeDatabase(database);
    rmSync(folder, { recursive: true });
  };
  return { store, [Symbol.asyncDispose]: close };
}

const LIMITED = { requestsPerMinute: 60 };

describe.each([
  ['memory', inMemory],
  ['SQLite', onDisk],
])('two replicas over one %s store', (_name, open) => {
  test('let exactly the limit of one key through together, in parallel', async () => {
    await using opened = open();
    const world = new IngressWorld(createSystemClock(), opened.store);
    const { apiKey: key } = await world.key(world.workspace());
    await using first = await openIngressHarness(world, LIMITED);
    await using second = await openIngressHarness(world, LIMITED);
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, n) => (n % 2 === 0 ? first : second).call('GET', '/api/channels', { key })),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(200), count(429)]).toEqual([60, 90]);
  });

  test('count every answer of a key but 401 and 429, wherever it was given', async () => {
    await using opened = open();
    const world = new IngressWorld(createSystemClock(), opened.store);
    const scenario = world.workspace();
    const { apiKey: key } = await world.key(scenario);
    const { apiKey: other } = await world.key(scenario);
    await using first = await openIngressHarness(world, LIMITED);
    await using second = await openIngressHarness(world, LIMITED);
    for (let n = 0; n < 5; n++) expect((await first.call('GET', '/api/channels', { key: `${key}x` })).status).toBe(401);
    const kinds = [
      ['/api/channels', 200],
      ['/api/posts?limit=0', 400],
      ['/api/posts/01890000-0000-7000-8000-000000000000', 404],
      ['/api/nothing', 404],
      ['/api/posts/bulk', 405],
    ] as const;
    for (let n = 0; n < 60; n++) {
      const [path, status] = kinds[n % kinds.length]!;
      const answer = await (n % 2 === 0 ? first : second).call('GET', path, { key });
      expect([answer.status, answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')]).toEqual(
        [status, '60', String(59 - n)],
      );
    }
    for (const harness of [first, second, first]) {
      const { status, headers, body } = await harness.call('GET', '/api/channels', { key });
      expect([status, body.error.code, headers.get('ratelimit-remaining'), headers.get('retry-after')]).toEqual([
        429,
        'rate_limited',
        '0',
        headers.get('ratelimit-reset'),
      ]);
      expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[0-2])$/);
    }
    expect((await first.call('GET', '/api/channels', { key: other })).status).toBe(200);
  });
});

test('a limit of 0 is none', async () => {
  const world = new IngressWorld(createSystemClock());
  const { apiKey: key } = await world.key(world.workspace());
  await using harness = await openIngressHarness(world, { requestsPerMinute: 0 });
  const answers = await Promise.all(Array.from({ length: 100 }, () => harness.call('GET', '/api/channels', { key })));
  expect(answers.every(({ status, headers }) => status === 200 && headers.get('ratelimit-limit') === null)).toBe(true);
});
