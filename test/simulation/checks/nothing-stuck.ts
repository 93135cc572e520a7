import { PARKED_KEYS } from '#tables/declarations/tables.ts';
import type { MessageEffect } from '#tables/rows/pending-effects.ts';
import { everyVariant, type Aftermath, type Check, type Violation } from '../aftermath.ts';
import { groupsOf } from '../groups.ts';
import { PARTITIONS } from '../world.ts';

/**
 * After the faults everything comes to an end: no Variant waits, no Workspace owes anything, no key is parked, no
 * record is a dead letter.
 */
export const nothingIsStuck: Check = async (after) => {
  const { world } = after;
  const violations: Violation[] = [];
  const complain = (detail: string, about: readonly string[] = []): void =>
    void violations.push({ check: 'nothing is stuck', detail, about });
  for (const { post, variant } of everyVariant(after)) {
    const isCommenting = variant.status === 'published' && variant.firstComment?.status === 'waiting';
    const waits = variant.status === 'publishing' || variant.status === 'scheduled' || isCommenting;
    if (waits)
      complain(`variant ${variant.id}, due at ${new Date(variant.dueAt).toISOString()}, still says ${variant.status}`, [
        post.id.slice(0, -2),
      ]);
  }
  for (const [id, head] of after.heads) {
    const owed = head.pending?.messages.filter((each) => !isLogged(after, each)) ?? [];
    if (owed.length > 0)
      complain(`workspace ${id} still owes ${owed.map(({ message }) => message.type).join(', ')} of its last turn`, [
        id,
      ]);
    if (head.state.sweeps.length > 0) complain(`workspace ${id} still sweeps`, [id]);
    if (head.state.comingPlan !== null && head.state.comingPlan.effectiveAt < world.engine.now)
      complain(`workspace ${id} did not change its Plan`, [id]);
  }
  for (const { topic } of groupsOf(world.parts)) {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      for (const row of await world.truth.slice(PARKED_KEYS, [topic, partition], { limit: 10 })) {
        if (row.body.length > 0)
          complain(`key ${row.clustering[0]} of ${topic} is parked`, [String(row.clustering[0])]);
      }
    }
  }
  if (after.deadLetters > 0) complain(`${after.deadLetters} records are dead letters`);
  if (!after.quiet && violations.length === 0) complain('something never came to an end');
  return violations;
};

function isLogged({ world }: Aftermath, { topic, message }: MessageEffect): boolean {
  const bytes = world.codec.encode(message);
  if (world.witness.gone.some(({ value }) => Buffer.compare(value, bytes) === 0)) return true;
  return Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition })).some((source) =>
    world.log.control.records(source).some(({ value }) => Buffer.compare(value, bytes) === 0),
  );
}
