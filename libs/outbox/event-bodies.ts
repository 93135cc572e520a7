import type { VariantOutcome } from '#messages/messages.ts';
import type { Key, RowWrite, TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, VOID_BODY } from '#tables/rows/body.ts';
import type { MessageEffect, PendingEffects } from '#tables/rows/pending-effects.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';

/**
 * The bytes of an event are frozen with the turn that tells it. Those of usual size stand in the head, among what the
 * turn owes. A large one would stand there twice escaped, and several of them would not fit: it is a row of its own in
 * the head's atom, which lives until the head owes it no more.
 */

type HeadRow = Omit<RowWrite, 'partition'>;

/** In UTF-8. Escaped once more, it takes at most twice that. */
const MAX_BYTES_IN_HEAD = 16 * 1024;
/** A void row is of no use to anybody; it is kept until no reader can be under way. */
const VOID_TTL_SECONDS = 600;

const keyOf = (eventId: string): Key => ['event', eventId];

/** What a head holds of these effects, and the rows that go beside it. */
export function detachEventBodies(pending: PendingEffects): {
  readonly owed: PendingEffects;
  readonly rows: readonly HeadRow[];
} {
  const rows: HeadRow[] = [];
  const messages = pending.messages.map((effect): MessageEffect => {
    const { message } = effect;
    if (!isOutcome(message) || !isLarge(message.body)) return effect;
    const { body, ...rest } = message;
    rows.push({ clustering: keyOf(message.eventId), body: Buffer.from(body, 'utf8'), format: BODY_FORMAT });
    // Without a body, not with an empty one: a release that knows no such rows then fails, instead of sending nothing
    // for the event.
    return { ...effect, message: rest as VariantOutcome, bodyBeside: true };
  });
  return rows.length === 0 ? { owed: pending, rows } : { owed: { ...pending, messages }, rows };
}

/** The effects that a head was made of, from what it holds. Rejects with `PortError`. */
export async function attachEventBodies(
  store: TableStore,
  workspaceId: string,
  owed: PendingEffects,
): Promise<PendingEffects> {
  if (!owed.messages.some(({ bodyBeside }) => bodyBeside)) return owed;
  const whole = async (effect: MessageEffect): Promise<MessageEffect> => {
    const { bodyBeside, ...rest } = effect;
    if (bodyBeside !== true || !isOutcome(effect.message)) return effect;
    const { eventId } = effect.message;
    const row = await store.read(WORKSPACES, [workspaceId], keyOf(eventId), { serial: true });
    if (row === null || row.body.length === 0)
      throw new Error(`the body of event ${eventId}, which the head of workspace ${workspaceId} owes, is not there`);
    return { ...rest, message: { ...effect.message, body: Buffer.from(row.body).toString('utf8') } };
  };
  return { ...owed, messages: await Promise.all(owed.messages.map(whole)) };
}

/** For the atom of the head that replaces one which owed this: nothing refers to those rows any more. */
export function voidEventBodies(owed: PendingEffects | null): readonly HeadRow[] {
  const beside = owed === null ? [] : owed.messages.filter(({ bodyBeside }) => bodyBeside);
  return beside.flatMap(({ message }) =>
    isOutcome(message)
      ? [{ clustering: keyOf(message.eventId), body: VOID_BODY, format: BODY_FORMAT, ttlSeconds: VOID_TTL_SECONDS }]
      : [],
  );
}

function isOutcome(message: MessageEffect['message']): message is VariantOutcome {
  return message.type === 'VariantPublished' || message.type === 'VariantFailed';
}

function isLarge(body: string): boolean {
  return (
    body.length > MAX_BYTES_IN_HEAD ||
    (3 * body.length > MAX_BYTES_IN_HEAD && Buffer.byteLength(body) > MAX_BYTES_IN_HEAD)
  );
}
