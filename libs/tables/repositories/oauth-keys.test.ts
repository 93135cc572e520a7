import { beforeEach, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { makeSigningKey } from '#adapters/node-crypto/signing-key.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { INSTALLATION } from '../declarations/tables.ts';
import { OAuthKeys } from './oauth-keys.ts';

const DAY = 86_400_000;
let clock: MemoryClock;
let tables: MemoryTables;
let made: number;

beforeEach(() => {
  clock = createMemoryClock();
  tables = new MemoryTables();
  made = 0;
});

/** The keys as one replica sees them. */
const replica = (seed: number) =>
  new OAuthKeys({
    store: createMemoryTableStore({ tables }),
    secretBox: createSecretBox({ secret: 'a secret of more than thirty-two characters' }),
    clock,
    ids: createSeededIds(seed),
    makeSigningKey: async () => ({ kty: 'RSA', n: `number ${(made += 1)}`, d: `planted ${seed}` }),
  });

const idsOf = async (keys: OAuthKeys) => (await keys.read()).map(({ id }) => id);

test('replicas that start at once share the first key', async () => {
  const all = await Promise.all([1, 2, 3].map((seed) => replica(seed).read()));
  expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
  expect(all[0]).toHaveLength(1);
});

test('a new key signs when every replica has read it, and the former one verifies for 30 days', async () => {
  const [first] = await idsOf(replica(1));
  const { id: second, signsFrom } = await replica(2).rotate();
  expect(signsFrom).toBe(clock.now() + 120_000);
  expect(await idsOf(replica(3))).toEqual([first, second]);
  await clock.advance(120_000);
  expect(await idsOf(replica(3))).toEqual([second, first]);
  await clock.advance(30 * DAY - 1);
  expect(await idsOf(replica(3))).toEqual([second, first]);
  await clock.advance(1);
  expect(await idsOf(replica(3))).toEqual([second]);
  await replica(4).rotate();
  expect(await idsOf(replica(3))).toHaveLength(2);
});

test('rotations at once all count, and each key is its own', async () => {
  await replica(1).read();
  await Promise.all([2, 3, 4].map((seed) => replica(seed).rotate()));
  const keys = await replica(5).read();
  expect(new Set(keys.map(({ jwk }) => jwk['n'])).size).toBe(4);
  expect(new Set(keys.map(({ cookieKey }) => cookieKey)).size).toBe(4);
});

test('no row holds a key that can be read', async () => {
  const [{ cookieKey }] = await replica(7).read();
  const row = await createMemoryTableStore({ tables }).read(INSTALLATION, ['oauth-keys'], []);
  const text = Buffer.from(row!.body).toString('utf8');
  expect(text).not.toContain('planted');
  expect(text).not.toContain(cookieKey);
});

test('a signing key is a private RSA key of 2048 bits', async () => {
  const jwk = await makeSigningKey();
  expect(jwk).toMatchObject({ kty: 'RSA', e: 'AQAB', d: expect.any(String) });
  expect(Buffer.from(jwk['n'] as string, 'base64url')).toHaveLength(256);
});
