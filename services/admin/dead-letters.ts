import { z } from 'zod';
import { partitionOf } from '#ports/log.ts';
import { PortError } from '#ports/errors.ts';
import {
  DEAD_LETTERS_KEPT_MS,
  listDeadLetters,
  readDeadLetter,
  readDeadLetterValue,
  type DeadLetterEnvelope,
} from '#tables/repositories/dead-letters.ts';
import { readParkedKey } from '#tables/repositories/parking.ts';
import { readerOf } from '#tables/declarations/readers.ts';
import { DEAD_LETTERS, TOPICS } from '#tables/declarations/topics.ts';
import { contentOf } from './dead-letter-content.ts';
import type { AdminOptions } from './dependencies.ts';
import { isoOf } from './fields.ts';
import { procedure, refused, router, type AdminContext } from './procedure.ts';

/** The clock of the process that put a record aside may lead. */
const AHEAD_MS = 3_600_000;

const LetterId = z
  .string('must be a string')
  .regex(/^\d{1,15}-[0-9a-f]{1,16}$/, 'must be the id of a dead letter, as deadLetters.list shows it');
const OfLetter = z.strictObject({ id: LetterId });
const List = z
  .strictObject({
    /** The `nextCursor` of the page before. */
    cursor: LetterId.optional(),
    limit: z.int('must be a whole number').min(1).max(1_000).default(100),
  })
  .default({ limit: 100 });

type Options = Pick<AdminOptions, 'store' | 'log' | 'codec' | 'clock'>;

/**
 * A dead letter is kept for 90 days. Redriving it appends the record again, byte for byte and to the partition that it
 * came from. Its consumer decides by the record's content whether it still applies: a command of a client is past its
 * notAfter by then and changes nothing.
 */
export function deadLetterProcedures(options: Options) {
  const { store, log, clock } = options;
  return router({
    list: procedure.input(List).query(async ({ input: { cursor, limit } }) => {
      const now = clock.now();
      const [{ letters, more }, all] = await Promise.all([
        listDeadLetters(store, {
          from: now - DEAD_LETTERS_KEPT_MS,
          to: now + AHEAD_MS,
          before: cursor === undefined ? null : { at: Number(cursor.split('-')[0]), id: cursor },
          limit,
        }),
        allAreKept(log),
      ]);
      // `all`: none is in the topic that is not in the list yet.
      return { deadLetters: letters.map(described), all, nextCursor: more ? letters.at(-1)!.id : null };
    }),
    /** With what the record holds, which may be texts of tenants: not for the role read. */
    get: procedure.input(OfLetter).query(async ({ input: { id }, ctx }) => {
      const letter = await readDeadLetter(store, id);
      if (letter === null) throw noSuch();
      return {
        ...described(letter),
        ...(await contentFor(ctx, options, id)),
        next: await nextWords(store, letter),
      };
    }),
    redrive: procedure.input(OfLetter).mutation(async ({ input: { id } }) => {
      const letter = await readDeadLetter(store, id);
      const value = letter === null ? null : await readDeadLetterValue(store, id);
      if (letter === null || value === null) throw noSuch();
      const { topic, partition, key } = letter;
      const [position] = await log.append(topic, [{ key, value, partition }]);
      return { id, topic, partition, offset: position!.offset };
    }),
  });
}

const noSuch = () =>
  refused({ code: 'not_found', message: 'There is no such dead letter, or it is older than 90 days.' });

function described({ id, topic, partition, offset, key, error, at, bytes, subject }: DeadLetterEnvelope) {
  return { id, topic, partition, offset, key, error, at: isoOf(at), bytes, readBy: readerOf(topic), ...subject };
}

async function allAreKept(log: Options['log']): Promise<boolean> {
  try {
    const progress = await log.progress([{ group: readerOf(DEAD_LETTERS.name)!, topic: DEAD_LETTERS.name }]);
    return progress.length === DEAD_LETTERS.partitions && progress.every(({ next, end }) => next >= end);
  } catch (error) {
    if (error instanceof PortError) return false;
    throw error;
  }
}

async function contentFor({ operator }: Pick<AdminContext, 'operator'>, { store, codec }: Options, id: string) {
  if (operator !== null && operator.role !== 'operate')
    return {
      content: null,
      hidden: `The token of ${operator.name} may not see what records hold: it has the role read.`,
    };
  const value = await readDeadLetterValue(store, id);
  return value === null
    ? { content: null, hidden: 'Its bytes are not kept any more.' }
    : { content: await contentOf(codec, value), hidden: null };
}

/** What an operator can do about it. */
async function nextWords(
  store: Options['store'],
  { id, topic: name, key }: DeadLetterEnvelope,
): Promise<readonly string[]> {
  const reader = readerOf(name) ?? 'its consumer';
  const redrive = `After what wrote it or reads it is mended: crier admin deadLetters.redrive '${JSON.stringify({ id })}'. It is appended to ${name} again as it was, and ${reader} decides whether it still applies.`;
  const topic = TOPICS.find((one) => one.name === name);
  const { flag } =
    topic === undefined ? { flag: null } : await readParkedKey(store, name, partitionOf(key, topic.partitions), key);
  if (flag === null) return [redrive];
  const retry = `crier admin parked.retry '${JSON.stringify({ topic: name, key })}'`;
  return [redrive, `Its key is parked because of: ${flag.error}. Later records of the key wait for: ${retry}.`];
}
