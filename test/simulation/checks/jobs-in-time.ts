import { MAX_LEAD_MS } from '#domain/workspace/clock-skew.ts';
import { PUBLISH } from '#tables/declarations/topics.ts';
import { everyVariant, type Aftermath, type Check } from '../aftermath.ts';
import { PARTITIONS } from '../world.ts';
import { clockDelayMs } from './clock-delay.ts';
import { preparedAt } from './prepared-at.ts';
import { quietTime } from './quiet-time.ts';

const LATE_MS = 30_000;

/**
 * Once a Variant is due, the job that publishes it is in the log within half a minute in which nothing is wrong. Faults
 * put it off for as long as they last, and wrong clocks by what they may be off. Services look for lost work a quarter
 * of an hour later, which is in time only for what the log lost.
 */
export const jobsAreInTime: Check = (after) => {
  const { witness, maxOffsetMs } = after.world;
  // A key stays parked until an operator looks.
  if (witness.counts.has('key-parked')) return [];
  const [sentAt, readyAt, quiet] = [firstJobs(after), preparedAt(after), quietTime(after)];
  // What a leading clock fires is set again for later, and so is late by as much once that clock was put right.
  const byClocksMs = clockDelayMs(after) + (witness.leapt ? MAX_LEAD_MS : 0);
  return everyVariant(after).flatMap((each) => {
    const { post, variant } = each;
    if (variant.attempt > 1 || variant.hold !== undefined) return [];
    if (witness.hasLost(post.id) || witness.hasLost(variant.id)) return [];
    const sent = sentAt.get(variant.id);
    const dueAt = Math.max(variant.dueAt, post.createdAt, readyAt(each));
    if (sent === undefined || dueAt > sent) return [];
    const { ranMs, wallMs } = quiet(dueAt, sent);
    if (ranMs <= LATE_MS + maxOffsetMs || wallMs <= LATE_MS + maxOffsetMs + byClocksMs) return [];
    const detail = `the job of variant ${variant.id} was sent ${sent - dueAt} ms after it was due; nothing was wrong for ${wallMs} of them`;
    return [{ check: 'jobs are in time', detail, about: [post.id.slice(0, -2)] }];
  });
};

/** When the log took the first job of each Variant. */
function firstJobs({ world }: Aftermath): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { name: topic } of Object.values(PUBLISH))
    for (let partition = 0; partition < PARTITIONS; partition++)
      for (const { value, timestamp } of world.log.control.records({ topic, partition })) {
        const decoded = world.codec.decodeNow(value);
        if (!decoded?.ok || decoded.message.type !== 'PublishVariant') continue;
        const { variantId } = decoded.message;
        first.set(variantId, Math.min(first.get(variantId) ?? Infinity, timestamp));
      }
  return first;
}
