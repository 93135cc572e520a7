import type { VariantOutcome } from '#messages/messages.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Key, RowWrite } from '#ports/table.ts';
import { BODY_FORMAT, VOID_BODY } from '#tables/rows/body.ts';
import type { MessageEffect, PendingEffects } from '#tables/rows/pending-effects.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';

/**
 * The body of an event is encoded once, with the turn that causes it. A body of usual size stands in the outbox. A
 * large one would stand there escaped twice, and several of them would not fit: it is a row of its own, written with
 * the head in one compare-and-set and voided with the head that replaces it.
 */

type HeadRow = Omit<RowWrite, 'partition'>;

/** In UTF-8; escaped once more, at most twice as many. */
const MAX_BYTES_IN_HEAD = 16 * 1024;
/** A void row is kept until no reader of the row before it can be under way. */
const VOID_TTL_SECONDS = 600;

const keyOf = (eventId: string): Key => ['event', eventId];

/** The outbox of a head with these effects, and the rows that are written beside it. */
export function detachEventBodies(pending: PendingEffects): {
  readonly outbox: PendingEffects;
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
  return rows.length === 0 ? { outbox: pending, rows } : { outbox: { ...pending, messages }, rows };
}

/** The effects that an outbox was made of. Rejects with `PortError`. */
export async function attachEventBodies(
  store: TableStore,
  workspaceId: string,
  outbox: PendingEffects,
): Promise<PendingEffects> {
  if (!outbox.messages.some(({ bodyBeside }) => bodyBeside)) return outbox;
  const withBody = async (effect: MessageEffect): Promise<MessageEffect> => {
    const { bodyBeside, ...rest } = effect;
    if (bodyBeside !== true || !isOutcome(effect.message)) return effect;
    const { eventId } = effect.message;
    const row = await store.read(WORKSPACES, [workspaceId], keyOf(eventId), { serial: true });
    if (row === null || row.body.length === 0)
      throw new Error(`the body of event ${eventId}, which the head of workspace ${workspaceId} owes, is not there`);
    return { ...rest, message: { ...effect.message, body: Buffer.from(row.body).toString('utf8') } };
  };
  return { ...outbox, messages: await Promise.all(outbox.messages.map(withBody)) };
}

/** Written with the head that replaces one with this outbox: nothing refers to those rows any more. */
export function voidEventBodies(outbox: PendingEffects | null): readonly HeadRow[] {
  const beside = outbox === null ? [] : outbox.messages.filter(({ bodyBeside }) => bodyBeside);
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
