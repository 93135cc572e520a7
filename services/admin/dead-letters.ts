import { z } from 'zod';
import type { AdminOptions } from './dependencies.ts';
import { isoOf } from './fields.ts';
import { procedure, refused, router } from './procedure.ts';

const List = z
  .strictObject({ limit: z.int('must be a whole number').min(1).max(1_000).default(100) })
  .default({ limit: 100 });
const Redrive = z.strictObject({
  id: z.string('must be a string').regex(/^\d+-\d+$/, 'must be the id of a dead letter, as deadLetters.list shows it'),
});

/**
 * A dead letter stays in its topic until its retention ends. Redriving it appends the record again, byte for byte and
 * to the partition that it came from. Its consumer decides by the record's content whether it still applies: a command
 * of a client is past its notAfter by then and changes nothing.
 */
export function deadLetterProcedures({ deadLetters, log }: Pick<AdminOptions, 'deadLetters' | 'log'>) {
  return router({
    list: procedure.input(List).query(({ input }) => {
      const { letters, all } = deadLetters.list(input.limit);
      return {
        deadLetters: letters.map(({ id, topic, partition, offset, key, error, at, value }) => ({
          id,
          topic,
          partition,
          offset,
          key,
          error,
          at: isoOf(at),
          bytes: value.length,
        })),
        all,
      };
    }),
    redrive: procedure.input(Redrive).mutation(async ({ input: { id } }) => {
      const letter = deadLetters.find(id);
      if (letter === null)
        throw refused({
          code: 'not_found',
          message: 'There is no such dead letter, or it is not among the newest that are kept in memory.',
        });
      const [position] = await log.append(letter.topic, [
        { key: letter.key, value: letter.value, partition: letter.partition },
      ]);
      return { id, topic: letter.topic, partition: letter.partition, offset: position!.offset };
    }),
  });
}
