import type { Message } from '#messages/messages.ts';
import { createDueTimers, minuteOf, minuteStart } from '#tables/repositories/due.ts';
import type { Check, LoggedMessage, Violation } from '../aftermath.ts';
import { PARTITIONS } from '../world.ts';

/**
 * The watermark of a shard never moves back, unless the clock of the scheduler that moves it says that it lies in the
 * future.
 */
export const watermarksOnlyRise: Check = ({ world }) => {
  const violations: Violation[] = [];
  const present = new Map<number, number>();
  for (const { shard, minute, by, now } of world.witness.watermarks) {
    const before = present.get(shard) ?? 0;
    if (minute < before && minuteStart(before) <= now)
      violations.push({
        check: 'watermarks only rise',
        detail: `${by} moved shard ${shard} from minute ${before} back to ${minute}`,
        about: [],
      });
    present.set(shard, minute);
  }
  return violations;
};

/** Two leaps of which none is large move a watermark further than one of them may. */
const FAR_AHEAD_MS = 30 * 60_000;
const ABOUT_NOW_MS = 10 * 60_000;
/** From the claim of a shard until its owner has looked at its clock, with a pause in between. */
const CLAIMING_MS = 3 * 60_000;

/**
 * A watermark that a leaping clock moves into the future says from where on it is doubtful: its owner may end before
 * the clock is put right, and the next one begin when the watermark does not lie in the future any more. An owner whose
 * clock led when it claimed the shard can not know.
 */
export const watermarksAreDoubted: Check = ({ world }) => {
  const violations: Violation[] = [];
  const { watermarks, leads } = world.witness;
  const claims = new Map<number, (typeof watermarks)[number]>();
  const present = new Map<number, number>();
  for (const row of watermarks) {
    const before = present.get(row.shard) ?? 0;
    present.set(row.shard, row.minute);
    const claim = claims.get(row.shard);
    if (claim === undefined || claim.epoch !== row.epoch) {
      claims.set(row.shard, row);
      continue;
    }
    // One that the owner before left in the future, and that is written as it was, is for its next move.
    if (row.minute <= before || minuteStart(row.minute) - row.at < FAR_AHEAD_MS) continue;
    if (row.doubted !== null && minuteStart(row.doubted) - row.at < ABOUT_NOW_MS) continue;
    const mayHaveLed = leads.some(({ by, from }) => by === row.by && from < claim.at + CLAIMING_MS);
    if (mayHaveLed) continue;
    const detail = `${row.by} moved shard ${row.shard} ${minuteStart(row.minute) - row.at} ms into the future, and did not say from where on that is doubtful`;
    violations.push({ check: 'watermarks are doubted', detail, about: [] });
  }
  return violations;
};

const START_MINUTES_BEFORE = 24 * 60;
/** What is due takes its time, beside what the clock of a scheduler may be behind. */
const WITHIN_MS = 5_000;

/**
 * Every timer that was ever set, and has been due for a while, has fired: its message is in the log, or was, and is
 * lost. A row of `continue` does not prove that one was set: a Workspace that could not reach the topic may have
 * continued without it when it tried again.
 */
export const timersFire: Check = async (after) => {
  const { world } = after;
  const due = createDueTimers(world.truth);
  const violations: Violation[] = [];
  const { gone } = world.witness;
  const { upkeep } = after;
  const logged = { commands: [...after.commands, ...gone], jobs: [...after.jobs, ...gone], upkeep };
  const now = minuteOf(world.engine.now);
  for (let shard = 0; shard < PARTITIONS; shard++) {
    for (let minute = now - START_MINUTES_BEFORE; minute < now; minute++) {
      for (const timer of await due.read(shard, minute, null, 1000)) {
        if (timer.dueAt + world.maxOffsetMs + WITHIN_MS > world.engine.now) continue;
        const decoded = world.codec.decodeNow(timer.payload);
        if (decoded?.ok && (hasFired(logged, decoded.message) || mayHaveBeenGivenUp(decoded.message))) continue;
        violations.push({
          check: 'timers fire',
          detail: `timer ${timer.timerId} of shard ${shard}, minute ${minute}, never fired`,
          about: [timer.timerId],
        });
      }
    }
  }
  return violations;
};

/**
 * Who writes the row of an attempt, or of a fetch that is put off, and dies or fails before the topic knows of it, has
 * left the work to a successor, which sets timers of its own. That none is lost is judged by what they are for: no
 * delivery waits in the end (`eventsArrive`), and no Variant (`nothingIsStuck`).
 */
function mayHaveBeenGivenUp(carried: Message): boolean {
  if (carried.type === 'DeliverEvent' || carried.type === 'PrepareMedia') return true;
  return 'why' in carried && carried.why === 'continue';
}

type Logged = Readonly<Record<'commands' | 'jobs' | 'upkeep', readonly Pick<LoggedMessage, 'message'>[]>>;

function hasFired({ commands, jobs, upkeep }: Logged, carried: Message): boolean {
  switch (carried.type) {
    case 'VariantsDue':
      return carried.posts.every((due) =>
        commands.some(
          ({ message }) =>
            message.type === 'VariantsDue' &&
            message.posts.some(
              (each) =>
                each.postId === due.postId &&
                each.attempt === due.attempt &&
                due.variants.every((number) => each.variants.includes(number)),
            ),
        ),
      );
    case 'PublishVariant':
      return jobs.some(
        ({ message }) =>
          message.type === 'PublishVariant' &&
          message.variantId === carried.variantId &&
          message.attempt === carried.attempt &&
          message.why === carried.why,
      );
    case 'PublishComment':
      return jobs.some(
        ({ message }) =>
          message.type === 'PublishComment' && message.variantId === carried.variantId && message.why === carried.why,
      );
    case 'KeepConnection':
      return upkeep.some(({ message }) => message.type === carried.type && message.channelId === carried.channelId);
    default:
      return (
        'workspaceId' in carried &&
        commands.some(
          ({ message }) =>
            message.type === carried.type && 'workspaceId' in message && message.workspaceId === carried.workspaceId,
        )
      );
  }
}
