import { channelsBeyond, liveChannels } from '../../channel/live.ts';
import { postsIn } from '../../plan/month.ts';
import { PLAN_LIMITS } from '../../plan/plan.ts';
import { allows, planAllows, planAt, upgradeFor, type LimitName } from '../../plan/upgrade.ts';
import type { CreatePost } from '../commands.ts';
import { loadedPost } from '../post-changes.ts';
import type { Refusal } from '../results.ts';
import { refusal, type DecisionContext } from '../decision-context.ts';
import type { WorkspaceState } from '../state.ts';

const MINUTE_MS = 60_000;

/**
 * Keys and apps must keep the earliest time. Members need not, but what is over is a mistake: it would go out at once,
 * or be missed. Operators need neither. All must keep the latest time.
 */
export function judgeTime({ rules }: DecisionContext, command: CreatePost): Refusal | null {
  if (command.scheduledAt === null) return null;
  const aheadMs = command.scheduledAt - command.issuedAt;
  const isOfProgram = command.credential !== null && command.credential.kind !== 'member';
  if (isOfProgram && aheadMs < rules.earliestScheduleMs) {
    const minutes = Math.ceil(rules.earliestScheduleMs / MINUTE_MS);
    return refusal('too_early', `scheduledAt must be at least ${minutes} minutes ahead. Leave it out to publish now.`);
  }
  if (command.credential?.kind === 'member' && aheadMs < -MINUTE_MS)
    return refusal('too_early', 'That time is over. Choose a later one, or publish now.');
  if (aheadMs > rules.latestScheduleMs) return refusal('too_late', 'scheduledAt must be within 2 years from now.');
  return null;
}

/** A 422 `plan_limit` that names the Plan with room for `amount`, when there is one. */
export function planRefusal(state: WorkspaceState, limit: LimitName, amount: number, message: string): Refusal {
  const upgrade = upgradeFor(state, limit, amount);
  return refusal('plan_limit', message, upgrade ? { upgrade } : {});
}

/**
 * A Post counts in the month it is written in, but is judged by the Plan at the instant it is due: after a pending
 * Downgrade that is the smaller one, which may also take away the Channel.
 */
export function judgePlan({ state, view }: DecisionContext, command: CreatePost): Refusal | null {
  const plan = planAt(state, command.scheduledAt ?? command.issuedAt);
  const before = command.replaces === undefined ? null : loadedPost(view, command.replaces);
  const posts = postsIn(state.usage, command.issuedAt) + (before === null ? 1 : 0);
  // A successor that is due under the same Plan as its predecessor has that one's place.
  const needsPlace = before === null || planAt(state, before.scheduledAt ?? before.createdAt) !== plan;
  if (needsPlace && !allows(plan, 'postsPerMonth', posts)) {
    return planRefusal(state, 'postsPerMonth', posts, `${planAllows(plan, 'postsPerMonth')}, and they are used up.`);
  }
  const going = new Set(channelsBeyond(state.channels, PLAN_LIMITS[plan].channels).map((channel) => channel.id));
  if (command.channelIds.some((id) => going.has(id))) {
    const message = `${planAllows(plan, 'channels')}, and a Channel of this Post is beyond them when it is due.`;
    return planRefusal(state, 'channels', liveChannels(state.channels).length, message);
  }
  return null;
}
