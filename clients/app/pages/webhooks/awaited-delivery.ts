import type { DeliveryBody } from '#domain/webhook/render.ts';

type Progress = Pick<DeliveryBody, 'id' | 'state' | 'attempts'>;

/** A delivery that was asked for, by a test or again: its row follows a moment after the answer. */
export interface AwaitedDelivery {
  readonly id: string;
  /** How far it was when it was asked for; null: there was none. */
  readonly before: Omit<Progress, 'id'> | null;
  /** Unix ms by the clock of this computer. */
  readonly askedAt: number;
}

/**
 * How long a new round of a delivery is awaited. A round that ends without an attempt leaves its row with the state and
 * the attempts of the round before, so its end cannot be read from the row.
 */
const PATIENCE_MS = 120_000;

/** Whether what was read is from before the row of the new round was there. */
export function isAwaited(awaited: AwaitedDelivery | null, read: readonly Progress[] | undefined, now: number) {
  if (awaited === null || now - awaited.askedAt > PATIENCE_MS) return false;
  const { id, before } = awaited;
  const found = read?.find((each) => each.id === id);
  // One that was there and is no longer among the latest does not come back.
  if (found === undefined || before === null) return found === undefined && before === null;
  return found.state === before.state && found.attempts === before.attempts;
}
