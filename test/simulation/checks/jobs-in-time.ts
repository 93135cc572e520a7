import { HARMLESS_LEAD_MS, MAX_LEAD_MS } from '#domain/workspace/clock-skew.ts';
import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import { clockDelayMs } from './clock-delay.ts';
import { firstLogged } from './first-logged.ts';
import { preparedAt } from './prepared-at.ts';
import { quietTime } from './quiet-time.ts';

const LATE_MS = 30_000;

/**
 * Once a Variant is due, the job that publishes it is in the log within half a minute in which nothing is wrong. Faults
 * put it off for as long as they last, and wrong clocks by what they may be off. Services look for lost work a quarter
 * of an hour later, which is in time only for what the log lost, and for what a scheduler fired that led by so much as
 * no process does.
 */
export const jobsAreInTime: Check = (after) => {
  const { witness, maxOffsetMs } = after.world;
  // A key stays parked until an operator looks.
  if (witness.counts.has('key-parked')) return [];
  const sentAt = firstLogged(after.jobs, 'PublishVariant', ({ variantId }) => [variantId]);
  const wokenAt = firstLogged(after.commands, 'VariantsDue', ({ posts }) => posts.map(({ postId }) => postId));
  const [readyAt, quiet] = [preparedAt(after), quietTime(after)];
  // What a leading clock fires is set again for later, and so is late by as much once that clock was put right.
  const byClocksMs = clockDelayMs(after) + (witness.leapt ? MAX_LEAD_MS : 0);
  return everyVariant(after).flatMap((each) => {
    const { post, variant } = each;
    if (variant.attempt > 1 || variant.hold !== undefined) return [];
    if (witness.hasLost(post.id) || witness.hasLost(variant.id)) return [];
    const sent = sentAt.get(variant.id);
    const dueAt = Math.max(variant.dueAt, post.createdAt, readyAt(each));
    if (sent === undefined || dueAt > sent) return [];
    if (isFiredForGood(after, each, wokenAt.get(post.id))) return [];
    const { ranMs, wallMs } = quiet(dueAt, sent);
    if (ranMs <= LATE_MS + maxOffsetMs || wallMs <= LATE_MS + maxOffsetMs + byClocksMs) return [];
    const detail = `the job of variant ${variant.id} was sent ${sent - dueAt} ms after it was due; nothing was wrong for ${wallMs} of them`;
    return [{ check: 'jobs are in time', detail, about: [post.id.slice(0, -2)] }];
  });
};

/**
 * A scheduler that leads by more than its owner sets further timers for fires all of them at once, and where its clock
 * is put right after their instants, none again. Processes outside of the simulation own nothing with such a clock.
 */
function isFiredForGood({ world }: Aftermath, { variant }: VariantOf, wokenAt = Infinity): boolean {
  const { leads } = world.witness;
  return wokenAt < variant.dueAt && leads.some(({ ms, from }) => ms > HARMLESS_LEAD_MS && from <= wokenAt);
}
