import { createDeliveryRows, type StoredDelivery } from '#tables/repositories/deliveries.ts';
import type { DeliveryAttempt } from '#domain/webhook/delivery.ts';
import { MAX_LEAD_MS } from '#domain/workspace/clock-skew.ts';
import type { Aftermath, Check, Violation } from '../aftermath.ts';
import { expectedDeliveries } from './expected-deliveries.ts';
import { clockDelayMs } from './clock-delay.ts';
import { first, gapAfter } from './retry-gaps.ts';

/** A scheduler may lead by seconds, beside what its clock and the sender's may be off. */
const EARLY_MS = 5_000;
/** After a fault ended, what it left behind is caught up with. */
const RECOVERY_MS = 60_000;
const LATE_MS = 60_000;
/** Its guard brings it again in ever longer waits. */
const LONGEST_ATTEMPT_MS = 10 * 60_000;

/**
 * Attempts begin at the instants of the schedule: never before one, and while nothing is wrong within a minute of it;
 * the first one within a minute of its event.
 */
export const attemptsAreInTime: Check = async (after) => {
  const rows = createDeliveryRows(after.world.truth);
  const violations: Violation[] = [];
  for (const { id, eventId } of expectedDeliveries(after).values()) {
    if (after.world.witness.hasLost(id)) continue;
    const kept = await rows.find(id);
    const detail = kept === null ? null : whatIsWrong(after, kept);
    if (detail !== null)
      violations.push({ check: 'attempts are in time', detail: `delivery ${id}: ${detail}`, about: [eventId, id] });
  }
  return violations;
};

function whatIsWrong(after: Aftermath, { rounds, attempts }: StoredDelivery): string | null {
  for (const { id, since } of rounds) {
    const made = attempts.filter(({ round, outcome }) => round === id && outcome !== 'stopped');
    const byNumber = [...Map.groupBy(made, ({ attempt }) => attempt)].toSorted(([one], [other]) => one - other);
    let dueAt = since;
    let before: DeliveryAttempt | null = null;
    for (const [number, same] of byNumber) {
      const begun = first(same);
      const detail =
        number === (before?.attempt ?? 0) + 1
          ? offSchedule(after, { begun, before, dueAt })
          : mayHaveLostARow(after, dueAt, begun.startedAt)
            ? null
            : `follows ${before?.attempt ?? 'none'}`;
      if (detail !== null) return `attempt ${number} ${detail}`;
      if (before?.outcome === 'succeeded' && !mayHaveLostARow(after, begun.startedAt, begun.startedAt))
        return `attempt ${number} follows one that succeeded`;
      dueAt = begun.startedAt + gapAfter(begun);
      before = begun;
    }
  }
  return null;
}

interface Scheduled {
  readonly begun: DeliveryAttempt;
  readonly before: DeliveryAttempt | null;
  readonly dueAt: number;
}

function offSchedule(after: Aftermath, { begun, before, dueAt }: Scheduled): string | null {
  const lateMs = begun.startedAt - dueAt;
  if (
    before !== null &&
    -lateMs > EARLY_MS + 2 * after.world.maxOffsetMs &&
    !mayHaveLostARow(after, dueAt - gapAfter(before), begun.startedAt)
  )
    return `began ${-lateMs} ms early`;
  if (lateMs > LATE_MS + clockDelayMs(after) && !isDisturbed(after, dueAt, dueAt + LATE_MS))
    return `began ${lateMs} ms late; nothing was wrong`;
  return null;
}

const WRONG_CLOCKS: ReadonlySet<string> = new Set(['step-clock', 'leap-scheduler', 'leap-far']);
const LOSES_NO_ROW: ReadonlySet<string> = new Set([...WRONG_CLOCKS, 'leap', 'network']);

/**
 * Who made an attempt sets the timer of the next one, then writes its row. Where that failed in between, the attempt is
 * made once more, and the next one comes by the timer of the first; if that is sooner, the row is never written. Both
 * wait for an operator where their key is parked meanwhile.
 */
function mayHaveLostARow({ world }: Aftermath, from: number, until: number): boolean {
  if (world.witness.counts.has('key-parked')) return true;
  return world.witness.disturbances.some(
    (fault) =>
      !LOSES_NO_ROW.has(fault.what) &&
      fault.from <= until &&
      (fault.until === null || fault.until + RECOVERY_MS >= from - LONGEST_ATTEMPT_MS),
  );
}

function isDisturbed({ world }: Aftermath, from: number, until: number): boolean {
  // An endpoint that hangs has its deliveries put off, one behind the other.
  if (world.witness.counts.has('key-parked') || world.witness.counts.has('receiver hanging')) return true;
  return world.witness.disturbances.some((fault) => {
    // Time that was skipped lets nothing come late by itself. What a leading clock fired is set again, as much later as
    // that clock was ahead.
    const isClock = WRONG_CLOCKS.has(fault.what);
    const marginMs = fault.what === 'leap' ? 0 : isClock ? MAX_LEAD_MS + RECOVERY_MS : RECOVERY_MS;
    return fault.from <= until && (fault.until === null || fault.until + marginMs >= from);
  });
}
