import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';
import { CREDENTIAL_USES } from '../declarations/tables.ts';

interface CredentialUse {
  readonly usedAt: number;
}

export interface CredentialUsesOptions {
  readonly store: TableStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
  /** A use could not be written; rejections are of `PortError`. */
  readonly failed: (credentialId: string, error: unknown) => void;
}

export interface CredentialUses {
  /** Returns at once, and never throws. A use that can not be written is left out: a later one is as good. */
  noteUse(credentialId: string): void;
}

const MINUTE_MS = 60_000;
/** Well beyond the 30 days for which an unused refresh token is good. */
const TTL_SECONDS = 400 * 86_400;
const CAPACITY = 10_000;
const READS_AT_ONCE = 50;

/** When the API key or the approval was last used, to the minute; null: never, or longer ago than rows are kept. */
export async function readLastUse(store: TableStore, credentialId: string): Promise<number | null> {
  const row = await store.read(CREDENTIAL_USES, [credentialId], []);
  return (row && decodeBody<CredentialUse>(row)?.usedAt) ?? null;
}

/** The same of several, by their ids. Rejects with `PortError`. */
export async function readLastUses(
  store: TableStore,
  credentialIds: Iterable<string>,
): Promise<ReadonlyMap<string, number | null>> {
  const uses = new Map<string, number | null>();
  await parallelMap(READS_AT_ONCE, credentialIds, async (credentialId) => {
    uses.set(credentialId, await readLastUse(store, credentialId));
  });
  return uses;
}

/**
 * Writes the uses of API keys and approvals, at most one a minute for each: always in this process, as a rule in all
 * together.
 */
export function createCredentialUses({ store, clock, ids, failed }: CredentialUsesOptions): CredentialUses {
  const noted = createBoundedMap<string, number>(CAPACITY);
  const write = async (credentialId: string, usedAt: number): Promise<void> => {
    const row = await store.read(CREDENTIAL_USES, [credentialId], []);
    const known = row && decodeBody<CredentialUse>(row);
    if (row !== null && known !== null && known.usedAt >= usedAt) return;
    const use: CredentialUse = { usedAt };
    // Where another process was faster, its use stands.
    await store.compareAndSet(
      CREDENTIAL_USES,
      replacing([credentialId], [], {
        over: row?.version ?? null,
        value: use,
        token: ids.token(),
        ttlSeconds: TTL_SECONDS,
      }),
    );
  };
  return {
    noteUse: (credentialId) => {
      const now = clock.now();
      const minute = now - (now % MINUTE_MS);
      if ((noted.get(credentialId) ?? -1) >= minute) return;
      noted.set(credentialId, minute);
      write(credentialId, minute).catch((error) => failed(credentialId, error));
    },
  };
}
