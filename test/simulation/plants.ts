import type { NetworkAdapter } from '#networks/contract/adapter.ts';
import type { LogRecord } from '#ports/log.ts';
import { offsetOf, ReadPositions } from '#services/scheduler/read-positions.ts';
import type { ConditionalWrite, TableStore } from '#ports/table-store.ts';
import type { Row, Table } from '#ports/table.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '#tables/rows/body.ts';
import type { ShardBody } from '#tables/repositories/shards.ts';
import {
  POST_DIGESTS,
  PUBLISH_ARMS,
  PUBLISHING_HOLDS,
  SHARD_WATERMARKS,
  WORKSPACES,
} from '#tables/declarations/tables.ts';
import { HEAD, type HeadBody } from '#tables/repositories/workspaces.ts';
import type { Plant } from './plant.ts';

/** A Workspace never remembers which Post was made of a digest, nor the result of a request. */
const DEDUPE_OFF: Plant = {
  name: 'dedupe off',
  store: (store, role) =>
    role !== 'workspace'
      ? store
      : reading(store, (table, row) =>
          table === POST_DIGESTS || (table === WORKSPACES && row?.clustering[0] === 'result') ? null : row,
        ),
};

/** Every job is sent twice, and publishers do not see that an attempt was made before. */
const FIRED_TWICE: Plant = {
  name: 'fired twice',
  log: (log, role) =>
    role !== 'workspace'
      ? log
      : {
          ...log,
          append: (topic, records, options) =>
            log.append(
              topic,
              topic.startsWith('publish.') ? records.flatMap((record): LogRecord[] => [record, record]) : records,
              options,
            ),
        },
  store: (store, role) => {
    if (role !== 'publisher') return store;
    const blind = reading(store, (table, row) => (table === PUBLISH_ARMS ? null : row));
    return {
      ...blind,
      compareAndSet: (table, write) =>
        table === PUBLISH_ARMS ? Promise.resolve({ applied: true }) : store.compareAndSet(table, write),
    };
  },
};

/** Records are acknowledged as soon as they arrive. */
const ACKNOWLEDGED_FIRST: Plant = {
  name: 'offset committed before effects',
  log: (log, role) =>
    role !== 'workspace'
      ? log
      : {
          ...log,
          subscribe: async (subscriber) => {
            const subscription = await log.subscribe({
              ...subscriber,
              onRecords: (source, records) => {
                subscription.ack(source, records.at(-1)!.offset);
                subscriber.onRecords(source, records);
              },
            });
            return subscription;
          },
        },
};

const JUMP_MINUTES = 10;

/**
 * A watermark is moved beyond the timers that have fired, and the next owner trusts it. An owner that did not would
 * read again what lies before it.
 */
const WATERMARK_JUMPS: Plant = {
  name: 'watermark jumps',
  install: () => believingWatermarks(),
  store: (store, role) => {
    if (role !== 'scheduler') return store;
    const ahead = (write: ConditionalWrite): ConditionalWrite => {
      const body = decodeBody<ShardBody>({ body: write.next.body, format: BODY_FORMAT })!;
      return { ...write, next: { ...write.next, body: encodeBody({ ...body, minute: body.minute + JUMP_MINUTES }) } };
    };
    return {
      ...store,
      compareAndSet: (table, write) => store.compareAndSet(table, table === SHARD_WATERMARKS ? ahead(write) : write),
    };
  },
};

/** An armed attempt is taken for not published without reconciling, and is sent again. */
const SENT_AGAIN: Plant = {
  name: 'armed attempt sent again',
  networks: (networks) => ({
    ...networks,
    adapters: Object.fromEntries(
      Object.entries(networks.adapters).map(([network, adapter]): [string, NetworkAdapter] => [
        network,
        { ...adapter, reconcile: () => Promise.resolve({ kind: 'absent', summary: { status: 0, detail: 'planted' } }) },
      ]),
    ),
  }),
};

/** A new owner of a Workspace does not see the outbox of its last turn. */
const NOT_REPLAYED: Plant = {
  name: 'pending effects not replayed',
  store: (store, role) =>
    role !== 'workspace'
      ? store
      : reading(store, (table, row) => {
          if (table !== WORKSPACES || row === null || row.clustering[0] !== HEAD[0]) return row;
          return { ...row, body: encodeBody({ ...decodeBody<HeadBody>(row)!, pending: null }) };
        }),
};

/** A scheduler whose clock is put back does not read again what it read while the clock was ahead. */
const CLOCK_PUT_BACK_UNNOTICED: Plant = {
  name: 'clock put back unnoticed',
  install: () =>
    replacing(
      'next',
      (next) =>
        function (this: ReadPositions, clock) {
          // A clock that is never put back: it keeps the highest offset that it ever had.
          const highest = Math.max(highestOffsets.get(this) ?? Number.NEGATIVE_INFINITY, offsetOf(clock));
          highestOffsets.set(this, highest);
          return next.call(this, { now: () => clock.monotonic() + highest, monotonic: () => clock.monotonic() });
        },
    ),
};
const highestOffsets = new WeakMap<ReadPositions, number>();

/** A scheduler that claims a shard begins at its watermark, though that lies in the future. */
const WATERMARK_AHEAD_BELIEVED: Plant = {
  name: 'watermark ahead of the clock believed',
  install: () => believingWatermarks(),
};

/** Publishers send without looking at what is held. */
const HOLDS_UNSEEN: Plant = {
  name: 'holds unseen',
  store: (store, role) => (role === 'publisher' ? changingHolds(store, () => null) : store),
};

/** A process that begins while something is held does not know of it. */
const HOLDS_FORGOTTEN: Plant = {
  name: 'holds forgotten at a restart',
  store: (store, role) => {
    if (role !== 'publisher') return store;
    let former: ReadonlySet<unknown> | null = null;
    return {
      ...store,
      slice: async (table, partition, options) => {
        const rows = await store.slice(table, partition, options);
        if (table !== PUBLISHING_HOLDS) return rows;
        former ??= new Set(rows.map(({ clustering }) => clustering[0]));
        return rows.filter(({ clustering }) => !former!.has(clustering[0]));
      },
    };
  },
};

/** The time of a hold counts toward the missed window. */
const MISSED_THROUGH_HOLDS: Plant = {
  name: 'missed through holds',
  store: (store) => changingHolds(store, (body) => ({ ...body, ended: [] })),
};

export const PLANTS: readonly Plant[] = [
  HOLDS_UNSEEN,
  HOLDS_FORGOTTEN,
  MISSED_THROUGH_HOLDS,
  DEDUPE_OFF,
  FIRED_TWICE,
  ACKNOWLEDGED_FIRST,
  WATERMARK_JUMPS,
  SENT_AGAIN,
  NOT_REPLAYED,
  CLOCK_PUT_BACK_UNNOTICED,
  WATERMARK_AHEAD_BELIEVED,
];

function believingWatermarks(): () => void {
  return replacing(
    'first',
    (first) =>
      function (this: ReadPositions) {
        return first.call(this, Number.POSITIVE_INFINITY);
      },
  );
}

function replacing<M extends 'next' | 'first'>(
  method: M,
  by: (original: ReadPositions[M]) => ReadPositions[M],
): () => void {
  const original = ReadPositions.prototype[method];
  ReadPositions.prototype[method] = by(original);
  return () => void (ReadPositions.prototype[method] = original);
}

/** The store, with what it has of holds changed; null: it has nothing of the scope. */
function changingHolds(store: TableStore, change: (body: object) => object | null): TableStore {
  return {
    ...store,
    slice: async (table, partition, options) => {
      const rows = await store.slice(table, partition, options);
      if (table !== PUBLISHING_HOLDS) return rows;
      return rows.flatMap((row) => {
        const body = change(decodeBody<object>(row) ?? {});
        return body === null ? [] : [{ ...row, body: encodeBody(body) }];
      });
    },
  };
}

/** The store, with the results of single reads changed. */
function reading(store: TableStore, change: (table: Table, row: Row | null) => Row | null): TableStore {
  return {
    ...store,
    read: async (table, partition, clustering, options) =>
      change(table, await store.read(table, partition, clustering, options)),
  };
}
