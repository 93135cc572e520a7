import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, decodeBody, encodeBody, VOID_BODY } from '../rows/body.ts';
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
  /** Keeps the earliest `since`. Somebody else's word at the same moment stands instead. */
  mark(failing: FailingEndpoint): Promise<void>;
  /** It was reached. Nothing is written when nothing was kept. */
  clear(endpointId: string): Promise<void>;
  /** Every one there is, longest first, at most `limit`. */
  list(limit: number): Promise<readonly FailingEndpoint[]>;
}

/**
 * One that nobody spoke of for so long has no events any more, or is no more. Attempts, and so marks, are at most an
 * hour apart while there are some.
 */
const TTL_SECONDS = 7 * 86_400;
const MAX_OF_A_PARTITION = 1_000;
const PARTITIONS_AT_ONCE = 16;

/** Every method rejects with `PortError`; then it may have happened. */
export function createFailingEndpoints(store: TableStore, newToken: () => string): FailingEndpoints {
  const home = (endpointId: string) => [partitionOf(endpointId, WEBHOOK_DELIVERIES.partitions)];
  const replace = async (
    endpointId: string,
    change: (known: FailingEndpoint | null) => Uint8Array | null,
  ): Promise<void> => {
    const row = await store.read(FAILING_ENDPOINTS, home(endpointId), [endpointId]);
    const body = change(row === null ? null : decodeBody<FailingEndpoint>(row));
    if (body === null) return;
    const next = {
      version: (row?.version ?? 0) + 1,
      token: newToken(),
      body,
      format: BODY_FORMAT,
      ttlSeconds: TTL_SECONDS,
    };
    await store.compareAndSet(FAILING_ENDPOINTS, {
      partition: home(endpointId),
      clustering: [endpointId],
      expected: row?.version ?? null,
      next,
    });
  };
  return {
    mark: (failing) =>
      replace(failing.endpointId, (known) =>
        encodeBody({ ...failing, since: Math.min(failing.since, known?.since ?? failing.since) }),
      ),
    clear: (endpointId) => replace(endpointId, (known) => (known === null ? null : VOID_BODY)),
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
