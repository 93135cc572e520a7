import { writeDeadLetter, type DeadLetterOptions } from '#consumer/dead-letters.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import type { DecidedTurn } from './decided-turn.ts';

/** In place of the offset that a dead letter names: it is a step of a record, not the record. */
const NO_OFFSET = -1;

/** The Workspace goes on without a report that can not be carried out; an operator may redrive the dead letter. */
export async function deadLetterStep(
  options: DeadLetterOptions,
  workspaceId: string,
  { step, reason }: NonNullable<DecidedTurn['oversize']>,
): Promise<void> {
  if (step.type === 'RemovePosts') throw new Error(`a step that no log has can't be carried out: ${reason}`);
  const value = options.codec.encode(step);
  const partition = shardOf(workspaceId);
  const record = { topic: WORKSPACE_COMMANDS.name, partition, offset: NO_OFFSET, key: workspaceId, value };
  await writeDeadLetter(options, record, `${step.type} can't be carried out: ${reason}`);
}
