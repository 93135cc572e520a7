import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { PortError } from '#ports/errors.ts';
import { CredentialCache } from './credential-cache.ts';
import type { StoredCredential } from './credentials.ts';

const CREDENTIAL: StoredCredential = {
  workspaceId: 'w',
  keyId: 'k',
  keyName: 'a key',
  memberId: 'm',
  memberName: 'Ada',
  permissions: [],
  revoked: false,
};

function opened(capacity = 100) {
  const clock = createMemoryClock();
  const rows = new Map<string, StoredCredential>();
  const reads: string[] = [];
  const find = async (tokenHash: string) => {
    reads.push(tokenHash);
    return rows.get(tokenHash) ?? null;
  };
  return { clock, rows, reads, cache: new CredentialCache({ clock, find, capacity }) };
}

test('a credential is read once for requests that come together, and again within five seconds', async () => {
  const { clock, rows, reads, cache } = opened();
  rows.set('a', CREDENTIAL);
  expect(await Promise.all([cache.find('a'), cache.find('a')])).toEqual([CREDENTIAL, CREDENTIAL]);
  await clock.advance(3_000);
  expect(await cache.find('a')).toEqual(CREDENTIAL);
  expect(reads).toEqual(['a']);
  rows.set('a', { ...CREDENTIAL, revoked: true });
  await clock.advance(2_000);
  expect((await cache.find('a'))?.revoked).toBe(true);
});

test('an unknown key is remembered as such', async () => {
  const { reads, cache } = opened();
  await cache.find('a');
  await cache.find('a');
  expect(reads).toEqual(['a']);
});

test('guessing at keys does not push known ones out, and is remembered to a bound', async () => {
  const { rows, reads, cache } = opened(10);
  rows.set('known', CREDENTIAL);
  await cache.find('known');
  for (let n = 0; n < 50; n++) await cache.find(`guess ${n}`);
  await cache.find('known');
  await cache.find('guess 0');
  expect([reads.filter((key) => key === 'known').length, reads.filter((key) => key === 'guess 0').length]).toEqual([
    1, 2,
  ]);
});

test('a read that failed is not remembered', async () => {
  let away = true;
  const find = async () => {
    if (away) throw new PortError('unavailable', 'away');
    return CREDENTIAL;
  };
  const cache = new CredentialCache({ clock: createMemoryClock(), find });
  await expect(cache.find('a')).rejects.toBeInstanceOf(PortError);
  away = false;
  expect(await cache.find('a')).toEqual(CREDENTIAL);
});
