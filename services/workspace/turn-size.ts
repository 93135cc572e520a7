import { isRequested } from '#domain/workspace/commands.ts';
import { grows, MAX_STATE_BYTES } from '#domain/workspace/room.ts';
import type { TurnStep } from '#domain/workspace/turn-step.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { PortError } from '#ports/errors.ts';
import { MAX_RECORD_BYTES } from '#ports/log.ts';
import { MAX_BODY_BYTES, MAX_PARTITION_WRITE_BYTES, type Atom } from '#ports/table-store.ts';
import { checkUpsert } from '#ports/table-rules.ts';
import { turnTimestamp, type MessageEffect } from '#tables/rows/pending-effects.ts';
import type { DecidedTurn } from './decided-turn.ts';

type TurnParts = Pick<DecidedTurn, 'head' | 'outboxBytes' | 'rows' | 'encodedRows' | 'pending'>;

/** Ids and keys around a body. */
const FRAME_BYTES = 4_096;

/** What the compare-and-set of a turn writes beside the state; of what it appends, the events. */
export function bytesToWrite({ outboxBytes, rows, encodedRows, pending }: TurnParts, atom: Atom): number {
  const beside = rows.reduce((sum, { body }) => sum + body.length, 0);
  const ofReaders = encodedRows.reduce((sum, { write }) => sum + write.body.length, 0);
  const appended = pending.messages.reduce((sum, { message }) => sum + bodyBytesOf(message), 0);
  return outboxBytes + beside + (atom === 'partition' ? 0 : ofReaders) + (atom === 'store_and_log' ? appended : 0);
}

/**
 * Why the store or the log would refuse something of a turn; null when they would not. Judged before the turn is
 * committed: an outbox that can not be carried out would stop the Workspace for good.
 */
export function oversizeReason(turn: TurnParts, atom: Atom): string | null {
  const { head, outboxBytes, rows, encodedRows, pending } = turn;
  if (head.length > MAX_BODY_BYTES) return `a head of ${head.length} bytes`;
  // A message is shorter as a record than as JSON in the outbox, which has all of them but large events.
  if (outboxBytes > MAX_RECORD_BYTES - FRAME_BYTES) return `${outboxBytes} bytes of outbox`;
  const together = rows.reduce((sum, { body }) => sum + body.length + FRAME_BYTES, head.length);
  if (together > MAX_PARTITION_WRITE_BYTES) return `${together} bytes in the head's partition`;
  for (const { message } of pending.messages) {
    const body = bodyBytesOf(message);
    if (body > MAX_RECORD_BYTES - FRAME_BYTES) return `an event of ${body} bytes`;
  }
  const largest = [...rows, ...encodedRows.map(({ write }) => write)].reduce(
    (most, { body }) => Math.max(most, body.length),
    0,
  );
  if (largest > MAX_BODY_BYTES) return `a row of ${largest} bytes`;
  return atom === 'partition' ? refusedRow(encodedRows) : null;
}

function bodyBytesOf(message: MessageEffect['message']): number {
  return message.type === 'VariantPublished' || message.type === 'VariantFailed' ? Buffer.byteLength(message.body) : 0;
}

/** Why these commands may not make the state of a Workspace larger; null: they do not, or there is room. */
export function growthReason(
  { head, outboxBytes }: TurnParts,
  commands: readonly TurnStep[],
  before: WorkspaceState | null,
): string | null {
  const bytes = head.length - outboxBytes;
  return bytes > MAX_STATE_BYTES && commands.some((command) => adds(command, before))
    ? `a state of ${bytes} bytes`
    : null;
}

function adds(command: TurnStep, before: WorkspaceState | null): boolean {
  if (command.type === 'ConnectChannel') return before?.channels[command.channelId] === undefined;
  return isRequested(command) && grows(command);
}

function refusedRow(rows: TurnParts['encodedRows']): string | null {
  try {
    for (const { table, write } of rows) checkUpsert(table, [{ ...write, timestamp: turnTimestamp(1) }]);
    return null;
  } catch (error) {
    if (error instanceof PortError && error.kind === 'refused') return error.message;
    throw error;
  }
}
