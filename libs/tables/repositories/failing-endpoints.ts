import type { DisabledSince } from '#domain/webhook/render.ts';
import { PortError } from '#ports/errors.ts';
import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
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
  /** When the row was last written because of a failure. Absent: by a release that did not say so. */
  readonly markedAt?: number;
  /** Since when nothing is sent to it any more because of that. Absent: attempts go on. */
  readonly disabledAt?: number;
}

/** Null: it is not disabled. */
export function disabledSince(failing: FailingEndpoint | null): DisabledSince | null {
  if (failing?.disabledAt === undefined) return null;
  return { at: failing.disabledAt, failingSince: failing.since, error: failing.error };
}

export interface FailingEndpoints {
  /** Null: it is not kept as failing. */
  find(endpointId: string): Promise<FailingEndpoint | null>;
  /**
   * Keeps the earliest `since`, which is answered; that of a row that was marked before `lastBefore` is of other
   * failures, and does not count. Another process's write at the same moment stands instead. What is disabled stays as
   * it is.
   */
  mark(failing: FailingEndpoint, lastBefore: number): Promise<number>;
  /** True: it was disabled by this call, and by no earlier one. */
  disable(failing: FailingEndpoint & { readonly disabledAt: number }): Promise<boolean>;
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
/** Nothing is sent to it, so nothing marks it anew. */
const DISABLED_TTL_SECONDS = 400 * 86_400;
const MAX_OF_A_PARTITION = 1_000;
const PARTITIONS_AT_ONCE = 16;
const CLEAR_ATTEMPTS = 5;

/** Every method rejects with `PortError`; then it may have happened. */
export function createFailingEndpoints(store: TableStore, newToken: () => string): FailingEndpoints {
  const home = (endpointId: string) => [partitionOf(endpointId, WEBHOOK_DELIVERIES.partitions)];
  const replace = async (
    endpointId: string,
    change: (known: FailingEndpoint | null) => { readonly value: FailingEndpoint | null } | null,
  ): Promise<'made' | 'unchanged' | 'overtaken'> => {
    const row = await store.read(FAILING_ENDPOINTS, home(endpointId), [endpointId]);
    const changed = change(row === null ? null : decodeBody<FailingEndpoint>(row));
    if (changed === null) return 'unchanged';
    const over = row?.version ?? null;
    const ttlSeconds = changed.value?.disabledAt === undefined ? TTL_SECONDS : DISABLED_TTL_SECONDS;
    const write = replacing(home(endpointId), [endpointId], { over, ...changed, token: newToken(), ttlSeconds });
    return (await settledWrite(store, FAILING_ENDPOINTS, write)) ? 'made' : 'overtaken';
  };
  return {
    find: async (endpointId) => {
      const row = await store.read(FAILING_ENDPOINTS, home(endpointId), [endpointId]);
      return row === null ? null : decodeBody<FailingEndpoint>(row);
    },
    mark: async (failing, lastBefore) => {
      let { since } = failing;
      await replace(failing.endpointId, (known) => {
        if (known !== null && (known.markedAt ?? lastBefore) >= lastBefore) since = Math.min(since, known.since);
        return known?.disabledAt === undefined ? { value: { ...failing, since } } : null;
      });
      return since;
    },
    disable: async (failing) => {
      const outcome = await replace(failing.endpointId, (known) =>
        known?.disabledAt === undefined ? { value: failing } : null,
      );
      return outcome === 'made';
    },
    clear: async (endpointId) => {
      for (let attempt = 0; attempt < CLEAR_ATTEMPTS; attempt++) {
        const outcome = await replace(endpointId, (known) => (known === null ? null : { value: null }));
        if (outcome !== 'overtaken') return;
      }
      throw new PortError('unavailable', `the row of endpoint ${endpointId} keeps changing`);
    },
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
