import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import { createSessionRows, type Session } from './sessions.ts';
import { findSignInLink, writeSignInLink, type SignInLink } from './sign-in-links.ts';

const LINK: SignInLink = {
  email: 'ada@example.com',
  purpose: 'sign-in',
  browserHash: 'b',
  returnPath: '/app',
  expiresAt: 900_000,
  usedFor: null,
  invitation: null,
};
const SESSION: Session = { email: 'ada@example.com', createdAt: 1, expiresAt: 2, lastSeenAt: 1, browser: 'Firefox' };

/** What any store has to make true of links and sessions. `open` gives two ways to the same tables. */
export function signedInRows(
  name: string,
  open: () => Promise<{ readonly stores: readonly [TableStore, TableStore]; close(): Promise<void> }>,
): void {
  describe(name, () => {
    let tokens = 0;
    const opened = async (work: (stores: readonly [TableStore, TableStore]) => Promise<void>) => {
      const { stores, close } = await open();
      await work(stores).finally(close);
    };
    const rowsOf = (store: TableStore) => createSessionRows(store, () => `token ${(tokens += 1)}`);

    test('of many uses of one link at once, on two replicas, one succeeds', () =>
      opened(async (stores) => {
        const now = 0;
        expect(await writeSignInLink(stores[0], 'h', { over: null, next: LINK, token: 'made', now })).toBe(true);
        const found = (await findSignInLink(stores[1], 'h'))!;
        expect(found).toEqual({ ...LINK, version: 1 });
        const uses = await Promise.all(
          Array.from({ length: 8 }, (_, index) => {
            const next = { ...found, usedFor: { sessionHash: `s${index}` } };
            return writeSignInLink(stores[index % 2]!, 'h', { over: found, next, token: `use ${index}`, now });
          }),
        );
        const winners = uses.flatMap((used, index) => (used ? [`s${index}`] : []));
        expect(winners).toHaveLength(1);
        expect((await findSignInLink(stores[0], 'h'))?.usedFor).toEqual({ sessionHash: winners[0] });
      }));

    test('a link is not written over another of the same hash, and none is found under another', () =>
      opened(async (stores) => {
        const write = (email: string, token: string) =>
          writeSignInLink(stores[0], 'h', { over: null, next: { ...LINK, email }, token, now: 0 });
        expect([await write('ada@example.com', '1'), await write('eve@example.com', '2')]).toEqual([true, false]);
        expect((await findSignInLink(stores[1], 'h'))?.email).toBe('ada@example.com');
        expect(await findSignInLink(stores[1], 'other')).toBeNull();
      }));

    test('a session is found by its account and hash until it is ended, for good', () =>
      opened(async (stores) => {
        const [ours, theirs] = [rowsOf(stores[0]), rowsOf(stores[1])];
        expect(await ours.create('a', 's', SESSION)).toBe(true);
        const stored = (await theirs.find('a', 's'))!;
        expect(stored).toEqual({ ...SESSION, accountId: 'a', sessionHash: 's', version: 1 });
        expect([await theirs.find('b', 's'), await theirs.find('a', 't')]).toEqual([null, null]);
        expect(await theirs.end(stored)).toBe(true);
        expect([await ours.find('a', 's'), await ours.list('a')]).toEqual([null, []]);
        expect([await ours.create('a', 's', SESSION), await ours.prevent('a', 's')]).toEqual([false, false]);
        expect(await ours.replace(stored, { ...stored, lastSeenAt: 5 })).toBe(false);
      }));

    test('of making a session and preventing it at once, exactly one succeeds', () =>
      opened(async (stores) => {
        for (let index = 0; index < 8; index++) {
          const hash = `s${index}`;
          const make = () => rowsOf(stores[0]).create('a', hash, SESSION);
          const prevent = () => rowsOf(stores[1]).prevent('a', hash);
          const race = index % 2 === 0 ? [make(), prevent()] : [prevent(), make()].toReversed();
          const [made, prevented] = await Promise.all(race);
          expect(made).toBe(!prevented);
        }
      }));

    test('a session that was prevented stays so, is never listed, and can be prevented again', () =>
      opened(async (stores) => {
        const [ours, theirs] = [rowsOf(stores[0]), rowsOf(stores[1])];
        expect([await ours.prevent('a', 's'), await theirs.prevent('a', 's')]).toEqual([true, true]);
        expect([await ours.create('a', 's', SESSION), await ours.wasMade('a', 's')]).toEqual([false, false]);
        expect([await theirs.find('a', 's'), await theirs.list('a')]).toEqual([null, []]);
        await ours.create('a', 't', SESSION);
        expect([await theirs.wasMade('a', 't'), await theirs.wasMade('a', 'u')]).toEqual([true, false]);
      }));

    test('the sessions of an account are listed, those of others are not', () =>
      opened(async (stores) => {
        const rows = rowsOf(stores[0]);
        for (const hash of ['s1', 's2']) await rows.create('a', hash, SESSION);
        await rows.create('b', 's3', SESSION);
        expect((await rows.list('a')).map(({ sessionHash }) => sessionHash)).toEqual(['s1', 's2']);
      }));
  });
}
