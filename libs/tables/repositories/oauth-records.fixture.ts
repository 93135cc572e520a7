import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import { ACCESS_TOKEN, changeOAuthRecord, findAppToken, findOAuthRecord, type OAuthRecord } from './oauth-records.ts';

const CODE: OAuthRecord = {
  sealed: 'sealed',
  expiresAt: 60_000,
  consumedAt: null,
  approvalId: 'an approval',
  access: null,
};

/** What any store has to make true of codes and tokens. `open` gives two ways to the same tables. */
export function oauthRecords(
  name: string,
  open: () => Promise<{ readonly stores: readonly [TableStore, TableStore]; close(): Promise<void> }>,
): void {
  const opened = async (check: (stores: readonly [TableStore, TableStore]) => Promise<void>): Promise<void> => {
    const { stores, close } = await open();
    try {
      await check(stores);
    } finally {
      await close();
    }
  };

  describe(`${name}: a record of the authorization server`, () => {
    test('is consumed by one of those that try at once', () =>
      opened(async (stores) => {
        for (let round = 0; round < 5; round++) {
          const key = { kind: 'AuthorizationCode', idHash: `hash ${round}` };
          const write = { over: null, record: CODE, token: 'made', ttlSeconds: 600 };
          expect(await changeOAuthRecord(stores[0], key, write)).toBe(true);
          const consume = (index: number) =>
            changeOAuthRecord(stores[index % 2]!, key, {
              over: 1,
              record: { ...CODE, consumedAt: index },
              token: `user ${index}`,
              ttlSeconds: 600,
            });
          const outcomes = await Promise.all([0, 1, 2, 3].map(consume));
          const winner = outcomes.indexOf(true);
          expect(outcomes.filter((applied) => applied)).toHaveLength(1);
          expect(await findOAuthRecord(stores[1], key)).toEqual({
            record: { ...CODE, consumedAt: winner },
            version: 2,
          });
        }
      }));

    test('is an app token by its hash, until it is removed', () =>
      opened(async ([one, other]) => {
        const key = { kind: ACCESS_TOKEN, idHash: 'a token' };
        const access = { resource: 'https://crier.test/mcp', permissions: ['posts:schedule'] } as const;
        const write = { over: null, record: { ...CODE, access }, token: 'made', ttlSeconds: 600 };
        await changeOAuthRecord(one, key, write);
        expect(await findAppToken(other, 'a token')).toEqual({
          ...access,
          approvalId: 'an approval',
          expiresAt: 60_000,
        });
        expect(await findAppToken(other, 'another')).toBeNull();
        await changeOAuthRecord(one, key, { over: 1, record: null, token: 'removed', ttlSeconds: 600 });
        expect(await findAppToken(other, 'a token')).toBeNull();
        expect(await findOAuthRecord(other, key)).toEqual({ record: null, version: 2 });
      }));
  });
}
