import type { MemoryLog } from '#adapters/memory/log.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { partitionsOf, type World } from '../world.ts';

/** So the Avro package begins the error of a value that is of another type than its field. */
const NOT_ENCODED = /^Error: invalid "/;

interface Written extends Pick<World, 'codec' | 'witness'> {
  readonly log: { readonly control: Pick<MemoryLog['control'], 'records'> };
}

/**
 * A message that no release can read, or that could not be encoded: a value of it is none of its type, which the
 * compiler would have refused. A planted bug that makes one is caught by accident, whatever it is about. Null: there
 * is none.
 */
export function unreadableIn({ log, codec, witness }: Written): string | null {
  const refused = witness.defects.find(({ error }) => NOT_ENCODED.test(error));
  if (refused !== undefined) return `${refused.event}: ${refused.error.split('\n')[0]!}`;
  for (const topic of TOPICS) {
    for (let partition = 0; partition < partitionsOf(topic); partition++) {
      for (const { value } of log.control.records({ topic: topic.name, partition })) {
        const decoded = codec.decodeNow(value);
        if (decoded?.ok === false) return `a record of ${topic.name}: ${decoded.detail}`;
      }
    }
  }
  return null;
}
