import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, encodeBody } from '../rows/body.ts';
import { claimTokenHash, credentialRow } from './credentials.ts';
import { CREDENTIALS } from '../declarations/tables.ts';

const VALUES = 10;
const WORKSPACES = ['one', 'two', 'three', 'four'];

/** What any store has to make true of a key's value. `open` gives two ways to the same tables. */
export function credentialClaims(
  name: string,
  open: () => Promise<{ readonly stores: readonly [TableStore, TableStore]; close(): Promise<void> }>,
): void {
  describe(`${name}: a key's value`, () => {
    test('is given to one of the Workspaces that ask for it at once, and to that one for good', async () => {
      const { stores, close } = await open();
      try {
        for (let value = 0; value < VALUES; value++) {
          const claim = (workspaceId: string, index: number) =>
            claimTokenHash(stores[index % 2]!, `hash ${value}`, workspaceId);
          const owners = new Set(await Promise.all(WORKSPACES.map(claim)));
          expect(owners.size).toBe(1);
          expect(new Set(await Promise.all([...WORKSPACES, 'five'].map(claim)))).toEqual(owners);
        }
      } finally {
        await close();
      }
    });

    test('of a release that wrote no claims is that of the Workspace in its row', async () => {
      const { stores, close } = await open();
      try {
        const key = {
          id: 'k',
          memberId: 'm',
          name: 'old',
          permissions: [],
          tokenHash: 'old hash',
          createdAt: 1,
          revoked: true,
        };
        const { value, ...row } = credentialRow('one', { key, memberName: 'Ada', memberRemoved: false });
        await stores[0].upsert(CREDENTIALS, [{ ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: 1 }]);
        expect(
          await Promise.all(WORKSPACES.map((workspaceId) => claimTokenHash(stores[1], 'old hash', workspaceId))),
        ).toEqual(WORKSPACES.map(() => 'one'));
      } finally {
        await close();
      }
    });
  });
}
