import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';
import { FAILING_ENDPOINTS } from '../declarations/tables.ts';
import { WEBHOOK_DELIVERIES } from '../declarations/topics.ts';

/** Of an endpoint that no delivery has reached for a while. */
export interface FailingEndpoint {
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly url: string;
  /** When it began. */
  readonly since: number;
  readonly error: string;
}

export interface FailingEndpoints {
  /** Keeps the earliest `since`. Another process's write at the same moment stands instead. */
  mark(failing: FailingEndpoint): Promise<void>;
  /** It was reached. Nothing is written when nothing was kept. */
  clear(endpointId: string): Promise<void>;
  /** Every one there is, longest first, at most `limit`. */
  list(limit: number): Promise<readonly FailingEndpoint[]>;
}

/**
 * An endpoint without a mark for this long has no events any more, or was deleted: while deliveries wait, attempts and
 * so marks are at most an hour apart.
 */
const TTL_SECONDS = 7 * 86_400;
const MAX_OF_A_PARTITION = 1_000;
const PARTITIONS_AT_ONCE = 16;

/** Every method rejects with `PortError`; then it may have happened. */
export function createFailingEndpoints(store: TableStore, newToken: () => string): FailingEndpoints {
  const home = (endpointId: string) => [partitionOf(endpointId, WEBHOOK_DELIVERIES.partitions)];
  const replace = async (
    endpointId: string,
    change: (known: FailingEndpoint | null) => { readonly value: FailingEndpoint | null } | null,
  ): Promise<void> => {
    const row = await store.read(FAILING_ENDPOINTS, home(endpointId), [endpointId]);
    const changed = change(row === null ? null : decodeBody<FailingEndpoint>(row));
    if (changed === null) return;
    const over = row?.version ?? null;
    await store.compareAndSet(
      FAILING_ENDPOINTS,
      replacing(home(endpointId), [endpointId], { over, ...changed, token: newToken(), ttlSeconds: TTL_SECONDS }),
    );
  };
  return {
    mark: (failing) =>
      replace(failing.endpointId, (known) => ({
        value: { ...failing, since: Math.min(failing.since, known?.since ?? failing.since) },
      })),
    clear: (endpointId) => replace(endpointId, (known) => (known === null ? null : { value: null })),
    list: async (limit) => {
      const found: FailingEndpoint[] = [];
      for (let first = 0; first < WEBHOOK_DELIVERIES.partitions; first += PARTITIONS_AT_ONCE) {
        const partitions = Array.from(
          { length: Math.min(PARTITIONS_AT_ONCE, WEBHOOK_DELIVERIES.partitions - first) },
          (_, index) => first + index,
        );
        const slices = await Promise.all(
          partitions.map((partition) => store.slice(FAILING_ENDPOINTS, [partition], { limit: MAX_OF_A_PARTITION })),
        );
        for (const row of slices.flat())
          found.push(...[decodeBody<FailingEndpoint>(row)].filter((each) => each !== null));
      }
      return found.sort((a, b) => a.since - b.since).slice(0, limit);
    },
  };
}
