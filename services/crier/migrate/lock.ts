import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { PortError } from '#ports/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Row } from '#ports/table.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '#tables/rows/body.ts';
import { settledWrite } from '#tables/rows/replace-row.ts';
import { INSTALLATION } from '#tables/declarations/tables.ts';

/** Well above the time of one step: each step begins just after the lease was renewed. */
export const LEASE_MS = 180_000;
const WAIT_MS = 2 * LEASE_MS;
const LOOK_AGAIN_MS = 500;

const LOCK_KEY = ['lock'] as const;

interface LockBody {
  /** The end of the lease, unless it is renewed; 0: free. */
  readonly until: number;
}

export interface MigrationLockOptions {
  readonly store: TableStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Runs `work` while no other process of the installation does. Modes of the lock's row: *none* or *free* (`until` is 0
 * or past), *held*. `work` renews the lease before each of its steps; a renewal that finds the row changed throws,
 * because another migrator holds the lock. Work that fails frees the lock, unless one of its steps may still be going
 * on; after a crash the lock is free when the lease ends. Rejects `unavailable` when the lock is not free within twice
 * a lease.
 */
export async function underLock<T>(
  tools: MigrationLockOptions,
  work: (renew: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let version = await acquire(tools);
  const write = async (until: number): Promise<void> => {
    const next = await put(tools, version, until);
    if (next === null) throw new PortError('unavailable', 'another migrator took the lock over: run it again');
    version = next;
  };
  try {
    const result = await work(() => write(tools.clock.now() + LEASE_MS));
    await write(0);
    return result;
  } catch (error) {
    // A statement whose outcome is unknown may still be going on: the rest of the lease keeps other migrators away.
    if (!(error instanceof PortError && error.kind === 'unknown')) await write(0).catch(() => undefined);
    throw error;
  }
}

async function acquire(tools: MigrationLockOptions): Promise<number> {
  const giveUpAt = tools.clock.monotonic() + WAIT_MS;
  for (;;) {
    const row = await tools.store.read(INSTALLATION, LOCK_KEY, [], { serial: true });
    const now = tools.clock.now();
    if (isFree(row, now)) {
      const version = await put(tools, row?.version ?? null, now + LEASE_MS);
      if (version !== null) return version;
    }
    if (tools.clock.monotonic() > giveUpAt)
      throw new PortError('unavailable', 'another migrator is at work for too long');
    await tools.clock.sleep(LOOK_AGAIN_MS);
  }
}

function isFree(row: Row | null, now: number): boolean {
  return row === null || (decodeBody<LockBody>(row)?.until ?? 0) + CLOCK_SKEW_MS < now;
}

async function put(tools: MigrationLockOptions, expected: number | null, until: number): Promise<number | null> {
  // The row expires. Versions that began at 1 again would let a former holder renew a lock that another one holds.
  const version = Math.max(tools.clock.now(), (expected ?? 0) + 1);
  const next = {
    version,
    token: tools.ids.token(),
    body: encodeBody({ until } satisfies LockBody),
    format: BODY_FORMAT,
    ttlSeconds: (4 * LEASE_MS) / 1000,
  };
  return (await settledWrite(tools.store, INSTALLATION, { partition: LOCK_KEY, clustering: [], expected, next }))
    ? version
    : null;
}
