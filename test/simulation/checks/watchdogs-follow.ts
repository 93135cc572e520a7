import { outcomeIdOf } from '#domain/workspace/events.ts';
import type { Message } from '#messages/messages.ts';
import { everyVariant, type Aftermath, type Check } from '../aftermath.ts';
import { clockDelayMs } from './clock-delay.ts';

/** From one watchdog of an attempt to the next. */
const APART_MS = 10 * 60_000;
/** What a scheduler and the skips of time may add to that. */
const LATE_MS = 3 * 60_000;
/** After a fault ended, what it left behind is caught up with. */
const RECOVERY_MS = 60_000;

/** A job by which an attempt is looked at again, and when the log took it. */
interface Watchdog {
  readonly variantId: string;
  readonly attempt: number;
  readonly at: number;
}

/**
 * Each watchdog job of an attempt that is under way is followed by another one within ten minutes. After a single
 * watchdog, the loss of one further record of the log would leave the Variant `publishing` until lost work is looked
 * for.
 */
export const watchdogsFollowEachOther: Check = (after) => {
  const { counts, gone } = after.world.witness;
  // A key stays parked until an operator looks.
  if (counts.has('key-parked')) return [];
  const lost = new Set(gone.flatMap(({ message }) => (isWatchdog(message) ? [keyOf(message)] : [])));
  const byAttempt = Map.groupBy(watchdogsOf(after), keyOf);
  const withinMs = APART_MS + LATE_MS + clockDelayMs(after);
  return [...byAttempt].flatMap(([key, watchdogs]) => {
    const ended = endOf(after, watchdogs[0]!);
    if (ended === null || lost.has(key)) return [];
    return watchdogs.flatMap(({ variantId, attempt, at }, index) => {
      const next = Math.min(watchdogs[index + 1]?.at ?? ended, ended);
      if (next - at <= withinMs || isDisturbed(after, at, at + withinMs)) return [];
      const detail = `attempt ${attempt} of variant ${variantId} was under way, and nobody looked at it for ${next - at} ms after its watchdog`;
      return [{ check: 'watchdogs follow each other', detail, about: [variantId.slice(0, -2)] }];
    });
  });
};

function isWatchdog(message: Message): message is Extract<Message, { type: 'PublishVariant' }> {
  return message.type === 'PublishVariant' && message.why === 'watchdog';
}

function keyOf({ variantId, attempt }: Pick<Watchdog, 'variantId' | 'attempt'>): string {
  return `${variantId} ${attempt}`;
}

/** In the order of the log. */
function watchdogsOf({ jobs }: Aftermath): readonly Watchdog[] {
  return jobs.flatMap(({ message, at }) =>
    isWatchdog(message) ? [{ variantId: message.variantId, attempt: message.attempt, at }] : [],
  );
}

/** When the outcome of this very attempt was committed; null: it was given back, or had none. */
function endOf(after: Aftermath, { variantId, attempt }: Watchdog): number | null {
  const variant = everyVariant(after).find((each) => each.variant.id === variantId)?.variant;
  if (variant === undefined) return null;
  const ids = (['variant.published', 'variant.failed'] as const).map((type) =>
    outcomeIdOf({ ...variant, attempt }, type),
  );
  const told = after.events.flatMap(({ message }) =>
    (message.type === 'VariantPublished' || message.type === 'VariantFailed') && ids.includes(message.eventId)
      ? [message.createdAt]
      : [],
  );
  return told.length === 0 ? null : Math.min(...told);
}

function isDisturbed({ world }: Aftermath, from: number, until: number): boolean {
  return world.witness.disturbances.some(
    (fault) =>
      fault.what !== 'leap' &&
      fault.what !== 'rates' &&
      fault.from <= until &&
      (fault.until === null || fault.until + RECOVERY_MS >= from),
  );
}
