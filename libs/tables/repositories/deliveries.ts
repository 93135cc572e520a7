import type { Row, RowWrite } from '#ports/table.ts';
import {
  isRetained,
  DELIVERY_RETENTION_MS,
  deliveryStatusOf,
  type Delivery,
  type DeliveryAttempt,
  type Round,
  type DeliveryStatus,
} from '#domain/webhook/delivery.ts';
import { isCanary, keptSeconds } from '#domain/canary.ts';
import type { TableStore } from '#ports/table-store.ts';
import { dayOf } from '#domain/calendar.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { DELIVERIES, DELIVERIES_BY_ENDPOINT } from '../declarations/tables.ts';

/** All that is known of a delivery. */
export interface StoredDelivery extends Delivery {
  /** Oldest first. */
  readonly rounds: readonly Round[];
  /** Of all rounds, in their order. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Of the newest round. */
  readonly standing: DeliveryStatus;
  /** What is sent: the exact bytes. */
  readonly body: Uint8Array;
  /** When the newest round began that has stored them. */
  readonly bodySince: number;
}

type DeliveryKey = Pick<Delivery, 'id' | 'workspaceId'>;

export interface DeliveryRows {
  /**
   * What is appended in the step in which `make` or `makeRound` was called, and after that call, can not become durable
   * before the rows do.
   */
  readonly isInOrderWithLog: boolean;
  /**
   * Makes a delivery. Making it again, the same, is harmless. The bytes before what names them: a delivery that can be
   * found can be sent.
   */
  make(delivery: Delivery, round: Round, body: Uint8Array): Promise<void>;
  /** Makes a further round of a delivery, which sends the bytes that it has already. */
  makeRound(kept: StoredDelivery, round: Round): Promise<void>;
  /** `token`: makes the row this worker's own. */
  keepAttempt(delivery: DeliveryKey, attempt: DeliveryAttempt, token: string): Promise<void>;
  /** Null: there is none, or it was forgotten. */
  find(deliveryId: string): Promise<StoredDelivery | null>;
  /**
   * The newest deliveries of an endpoint that was registered at `since`, newest first; at most `limit`. Each is read
   * when it is asked for: with its bytes and the attempts of its replays one may take megabytes.
   */
  latest(endpointId: string, since: number, now: number, limit: number): AsyncIterable<StoredDelivery>;
}

/** What the first row of a round says. */
interface MadeBody extends Delivery {
  readonly since: number;
}

/** Each attempt is a row or, with two owners, two: far below this. */
const MAX_ROWS = 5_000;
const DAY_MS = 86_400_000;
/** A day of attempts, 30 days after the end, and as much again as a cluster that was away may be late. */
const TTL_SECONDS = (DELIVERY_RETENTION_MS + 10 * DAY_MS) / 1000;
/**
 * A round stores the bytes again once those that there are began so long before it: they must outlive it and the time
 * in which it may be replayed, and replays of one day would fill the disk with copies of them.
 */
const BODY_SHARED_MS = DAY_MS;
const DAYS_AT_ONCE = 8;
const NO_BYTES = new Uint8Array(0);

/** Every method rejects with `PortError`. */
export function createDeliveryRows(store: TableStore): DeliveryRows {
  const find = async (deliveryId: string): Promise<StoredDelivery | null> =>
    deliveryOf(await store.slice(DELIVERIES, [deliveryId], { limit: MAX_ROWS }));
  // The first write to a table may wait until the table is made, and so come behind what was called after it.
  let areTablesMade = false;
  const isInOrder = (): boolean => store.atom === 'store_and_log' && areTablesMade;
  /** `body`: null where the round sends the bytes of one before it, as every reader takes the newest that it finds. */
  const make = async (delivery: Delivery, round: Round, body: Uint8Array | null): Promise<void> => {
    const made: MadeBody = { ...delivery, since: round.since };
    const listed = {
      partition: [delivery.endpointId, dayOf(round.since)],
      clustering: [round.since, delivery.id],
      body: encodeBody({}),
      format: BODY_FORMAT,
      ttlSeconds: ttlOf(delivery),
    };
    const written = store.insert(DELIVERIES, [
      ...(body === null ? [] : [rowOf(delivery, [round.id, 0, 'body'], body)]),
      rowOf(delivery, [round.id, 0, 'made'], encodeBody(made)),
    ]);
    if (!isInOrder()) await written;
    await Promise.all([written, store.insert(DELIVERIES_BY_ENDPOINT, [listed])]);
    areTablesMade = true;
  };
  return {
    get isInOrderWithLog() {
      return isInOrder();
    },
    find,
    make,
    makeRound: ({ rounds: _, attempts: _attempts, standing: _standing, body, bodySince, ...delivery }, round) =>
      make(delivery, round, round.since - bodySince <= BODY_SHARED_MS ? null : body),
    keepAttempt: (delivery, attempt, token) =>
      store.insert(DELIVERIES, [rowOf(delivery, [attempt.round, attempt.attempt, token], encodeBody(attempt))]),
    latest: async function* (endpointId, since, now, limit) {
      for (const id of await latestIds(store, endpointId, { since, now, limit })) {
        const found = await find(id);
        if (found !== null && isRetained(found.standing, now)) yield found;
      }
    },
  };
}

function rowOf(delivery: DeliveryKey, clustering: readonly [string, number, string], body: Uint8Array): RowWrite {
  return { partition: [delivery.id], clustering, body, format: BODY_FORMAT, ttlSeconds: ttlOf(delivery) };
}

const ttlOf = ({ workspaceId }: DeliveryKey): number =>
  isCanary(workspaceId) ? keptSeconds(TTL_SECONDS) : TTL_SECONDS;

/**
 * Days are read some at a time, backwards, as far as deliveries are kept. A replayed delivery is listed twice and shown
 * once.
 */
async function latestIds(
  store: TableStore,
  endpointId: string,
  { since, now, limit }: { readonly since: number; readonly now: number; readonly limit: number },
): Promise<readonly string[]> {
  const ids = new Set<string>();
  const oldest = dayOf(Math.max(since, now - DELIVERY_RETENTION_MS - DAY_MS)) - 1;
  for (let newest = dayOf(now) + 1; newest >= oldest && ids.size < limit; newest -= DAYS_AT_ONCE) {
    const days = Array.from({ length: Math.min(DAYS_AT_ONCE, newest - oldest + 1) }, (_, back) => newest - back);
    const slices = await Promise.all(
      days.map((day) => store.slice(DELIVERIES_BY_ENDPOINT, [endpointId, day], { limit: 2 * limit })),
    );
    for (const row of slices.flat()) if (ids.size < limit) ids.add(row.clustering[1] as string);
  }
  return [...ids];
}

function deliveryOf(rows: readonly Row[]): StoredDelivery | null {
  const rounds: Round[] = [];
  const attempts: DeliveryAttempt[] = [];
  let made: MadeBody | null = null;
  let body = NO_BYTES;
  let bodyRound: string | null = null;
  let bodySince = -Infinity;
  for (const row of rows) {
    const [round, attempt, part] = row.clustering as readonly [string, number, string];
    if (attempt > 0) attempts.push(decodeBody<DeliveryAttempt>(row)!);
    else if (part === 'body') [body, bodyRound] = [Uint8Array.from(row.body), round];
    else {
      made = decodeBody<MadeBody>(row)!;
      if (bodyRound === round) bodySince = made.since;
      rounds.push({ id: round, since: made.since });
    }
  }
  const newest = rounds.at(-1);
  if (made === null || newest === undefined) return null;
  const { since: _, ...delivery } = made;
  return { ...delivery, rounds, attempts, standing: deliveryStatusOf(newest, attempts), body, bodySince };
}
