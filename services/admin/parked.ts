import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { listParkedKeys, readParkedKey, writeParkedKey, type ParkedKeyRow } from '#tables/repositories/parking.ts';
import { TOPICS, type Topic } from '#tables/declarations/topics.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { isoOf } from './fields.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, refused, router } from './procedure.ts';

/** The number of keys that one list shows at most. */
const MAX_LISTED = 1_000;
const SLICES_AT_ONCE = 16;
const TRIES = 5;

const AnyTopic = z
  .string('must be a string')
  .refine((name) => TOPICS.some((topic) => topic.name === name), 'is no topic of Crier');
const ParkedKeyName = z.strictObject({ topic: AnyTopic, key: z.string('must be a string').min(1).max(1024) });

export function parkedProcedures({ store, ids }: Pick<AdminOptions, 'store' | 'ids'>) {
  const wish = (wanted: 'retry' | 'skip') =>
    procedure.input(ParkedKeyName).mutation(async ({ input: { topic, key } }) => {
      await setWish(store, ids, { topic, partition: partitionOf(key, topicOf(topic).partitions), key }, wanted);
      return { topic, key, wish: wanted };
    });
  return router({
    list: procedure.input(z.strictObject({ topic: AnyTopic.optional() }).default({})).query(async ({ input }) => {
      const topics = input.topic === undefined ? TOPICS : [topicOf(input.topic)];
      const partitions = topics.flatMap(({ name, partitions: count }) =>
        Array.from({ length: count }, (_, partition) => ({ name, partition })),
      );
      const found: ParkedKeyRow[] = [];
      await parallelMap(
        SLICES_AT_ONCE,
        partitions,
        async ({ name, partition }) => void found.push(...(await listParkedKeys(store, name, partition))),
      );
      const oldestFirst = found.toSorted((a, b) => a.parkedAt - b.parkedAt);
      return { parked: oldestFirst.slice(0, MAX_LISTED).map(shown), more: oldestFirst.length > MAX_LISTED };
    }),
    retry: wish('retry'),
    skip: wish('skip'),
  });
}

function topicOf(name: string): Topic {
  return TOPICS.find((topic) => topic.name === name)!;
}

function shown({ topic, partition, key, wish, error, parkedAt, held }: ParkedKeyRow) {
  return { topic, partition, key, wish, error, parkedAt: isoOf(parkedAt), held };
}

/**
 * Asks the key's owner to retry or skip its record. A key that drains already is refused: a skip at that moment would
 * leave out the next record, which never failed.
 */
async function setWish(
  store: TableStore,
  ids: AdminOptions['ids'],
  at: Pick<ParkedKeyRow, 'topic' | 'partition' | 'key'>,
  wanted: 'retry' | 'skip',
): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { version, flag } = await readParkedKey(store, at.topic, at.partition, at.key);
    if (flag === null) throw refused({ code: 'not_found', message: 'This key is not parked.' });
    if (flag.wish === wanted) return;
    if (flag.wish !== 'none')
      throw new TRPCError({
        code: 'CONFLICT',
        message: `The key is already being handled again (${flag.wish}). Look again with parked.list.`,
      });
    const { version: _, ...parked } = flag;
    if (await writeParkedKey(store, at, { version, flag: { ...parked, wish: wanted }, token: ids.token() })) return;
  }
  throw new TRPCError({
    code: 'CONFLICT',
    message: 'The key keeps changing: more of its records are being held back right now. Try again.',
  });
}
