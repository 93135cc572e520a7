import { expect, test } from 'vitest';
import { Pools } from '#concurrency/pools.ts';
import { openAdminHarness } from './admin-harness.fixture.ts';

test('it tells for each pool who holds and who waits, most first, and only of pools in use', async () => {
  const budgetOf = (workspaceId: string) => ({ weight: 1, part: 1, ...(workspaceId !== 'b' && { account: 'one' }) });
  const pools = new Pools({ clock: { monotonic: () => 0 }, budgetOf });
  await using admin = await openAdminHarness(() => ({ pools }));
  const uploads = pools.open('uploads', { permits: 4, maxOf: { workspace: 3 }, timesFree: 3 });
  pools.open('fetches', { permits: 2, maxOf: { workspace: 2 } });
  for (const workspace of ['b', 'a', 'a', 'a', 'a', 'a', 'c']) void uploads.acquire({ workspace });
  const pool = { pool: 'uploads', permits: 4, held: 4, waiting: 3 };
  expect(await admin.caller.tenants.top()).toEqual({
    items: [
      {
        ...pool,
        workspaces: [
          { workspaceId: 'a', accountId: 'one', held: 3, waiting: 2 },
          { workspaceId: 'b', accountId: null, held: 1, waiting: 0 },
          { workspaceId: 'c', accountId: 'one', held: 0, waiting: 1 },
        ],
      },
    ],
    nextCursor: null,
  });
  expect((await admin.caller.tenants.top({ count: 1 })).items[0]).toMatchObject({
    workspaces: [{ workspaceId: 'a' }],
  });
});

test('of the mails by which people sign in it names the addresses that asked for them', async () => {
  const pools = new Pools({ clock: { monotonic: () => 0 } });
  await using admin = await openAdminHarness(() => ({ pools }));
  const mails = pools.openForClients('sign-in-mails', { permits: 2, maxOf: { client: 1 } });
  for (const client of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) void mails.acquire({ client });
  expect((await admin.caller.tenants.top()).items).toEqual([
    {
      ...{ pool: 'sign-in-mails', permits: 2, held: 2, waiting: 1 },
      clients: [
        { client: '192.0.2.1', held: 1, waiting: 1 },
        { client: '192.0.2.2', held: 1, waiting: 0 },
      ],
    },
  ]);
});
