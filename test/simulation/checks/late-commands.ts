import type { RequestedCommand } from '#domain/workspace/commands.ts';
import { isRequested } from '#domain/workspace/commands.ts';
import type { Aftermath, Check } from '../aftermath.ts';

/** From the decision until its turn is in the store, where nothing stands still. */
const COMMITTING_MS = 30_000;
/** The longest pause, or stall of a call. */
const HELD_UP_MS = 120_000;
/** Taken in several steps: what was begun in time is brought to its end. */
const OF_SEVERAL_STEPS: ReadonlySet<RequestedCommand['type']> = new Set(['RemoveMember', 'ChangeMemberRole']);

/**
 * A command that is decided after its `notAfter` is refused and changes nothing. By then its client has been answered
 * `outcome_unknown`, and may have sent another request in its place: a Post that is still created would be there twice.
 */
export const lateCommandsChangeNothing: Check = (after) => {
  const { world, commands } = after;
  const decided = new Set<string>();
  return commands.flatMap(({ message }) => {
    if (!isRequested(message) || OF_SEVERAL_STEPS.has(message.type) || decided.has(message.requestId)) return [];
    decided.add(message.requestId);
    const found = world.witness.decided.get(message.requestId);
    if (found === undefined || !found.result.ok) return [];
    const lateMs = found.at - message.notAfter;
    if (lateMs <= COMMITTING_MS + 2 * world.maxOffsetMs || wasHeldUp(after, found)) return [];
    const detail = `${message.type} ${message.requestId} was carried out ${lateMs} ms after it was too late for that`;
    return [{ check: 'late commands change nothing', detail, about: [message.requestId] }];
  });
};

/** Its turn may have been decided before a pause, a stall or a skip of time, and written after it. */
function wasHeldUp({ world }: Aftermath, { by, at: written }: { readonly by: string; readonly at: number }): boolean {
  const { incidents, disturbances } = world.witness;
  const from = written - HELD_UP_MS;
  return (
    incidents.some(
      ({ process, kind, at }) =>
        process === by && (kind === 'pause' || kind === 'stall') && at >= from && at <= written,
    ) || disturbances.some(({ what, until }) => what === 'leap' && until! >= from && until! <= written)
  );
}
