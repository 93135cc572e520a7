import { expect, test } from 'vitest';
import { Pools } from '#concurrency/pools.ts';
import { openAdminHarness } from './admin-harness.fixture.ts';

test('it tells for each pool who holds and who waits, most first, and only of pools in use', async () => {
  const pools = new Pools({ clock: { monotonic: () => 0 } });
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
          { workspaceId: 'a', held: 3, waiting: 2 },
          { workspaceId: 'b', held: 1, waiting: 0 },
          { workspaceId: 'c', held: 0, waiting: 1 },
        ],
      },
    ],
    nextCursor: null,
  });
  expect((await admin.caller.tenants.top({ count: 1 })).items[0]!.workspaces).toHaveLength(1);
});
