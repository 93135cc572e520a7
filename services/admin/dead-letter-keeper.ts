import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import { createTopicConsumer, oneByOne } from '#consumer/topic-consumer.ts';
import type { Workload } from '#consumer/workload.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import type { Codec, Message } from '#messages/messages.ts';
import type { Service } from '#runtime/service.ts';
import { keepDeadLetter, type RecordSubject } from '#tables/repositories/dead-letters.ts';
import { DEAD_LETTERS } from '#tables/declarations/topics.ts';

/** Sources whose letters are kept at once. */
const SOURCES_AT_ONCE = 8;
/** A letter may have a megabyte. */
const MAX_WAITING = 8;

/**
 * Moves dead letters from their topic into the tables, where every process that runs admin finds them, also after a
 * restart. What can not be read in the topic itself becomes a dead letter of it, and so is kept like all others.
 */
export function createDeadLetterKeeper(ports: ConsumerPorts): Service & Workload {
  return createTopicConsumer(
    {
      name: 'dead-letters',
      topic: DEAD_LETTERS,
      concurrency: SOURCES_AT_ONCE,
      maxWaiting: MAX_WAITING,
      handle: oneByOne(async (letter) =>
        keepDeadLetter(ports.store, letter, await subjectOf(ports.codec, letter.value)),
      ),
    },
    ports,
  );
}

async function subjectOf(codec: Codec, value: Uint8Array): Promise<RecordSubject> {
  const decoded = await codec.decode(value);
  if (!decoded.ok) return { type: null, workspaceId: null, postId: null, variantId: null };
  const { message } = decoded;
  if (message.type === 'TimerSet') return { ...(await subjectOf(codec, message.payload)), type: message.type };
  const [workspaceId, variantId] = [idIn(message, 'workspaceId'), idIn(message, 'variantId')];
  const postId = idIn(message, 'postId') ?? (variantId === null ? null : postIdOfVariant(variantId));
  return { type: message.type, workspaceId, postId, variantId };
}

/** Many messages are about one Workspace, Post or Variant, each in a field of that name. */
function idIn(message: Message, field: string): string | null {
  const id = (message as unknown as Readonly<Record<string, unknown>>)[field];
  return typeof id === 'string' ? id : null;
}
