import type { BugsOfRoom } from '../planted-bug.ts';
import {
  CHANGING_PLANS,
  CUT_AND_TOLD_TWICE,
  CUT_ANSWERS,
  EDITING,
  ENDING_CREDENTIALS,
  HOLDS,
  LOOSE_CLOCKS,
  QUIET,
  RETRYING,
} from '../fault-plans.ts';

const REPORTS = 'libs/domain/workspace/decide/publish-reports.ts';
const MOVES = 'libs/domain/variant/moves.ts';
const SWEEP = 'libs/domain/workspace/decide/sweep.ts';
const CREATE = 'libs/domain/workspace/decide/create-post.ts';
const DUE = 'libs/domain/workspace/decide/variants-due.ts';

export const RULES: BugsOfRoom = {
  room: 'libs/domain',
  bugs: [
    {
      name: 'Every second Variant that comes due fails as missed',
      edits: [
        {
          file: 'libs/domain/workspace/decide/come-due.ts',
          find: 'const isInTime = now - variant.dueAt',
          replace: 'const isInTime = variant.dueAt % 2 === 0 && now - variant.dueAt',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'The missed window is ignored',
      edits: [
        {
          file: 'libs/domain/workspace/decide/come-due.ts',
          find: 'const isInTime = now - variant.dueAt <= windowOf(situation, variant);',
          replace: 'const isInTime = now > 0;',
        },
        {
          file: 'services/publisher/publish/next-step.ts',
          find: 'return job.latestStart + brake.heldMs;',
          replace: 'return job.latestStart + brake.heldMs + 86_400_000;',
        },
      ],
      faults: QUIET,
      parts: [],
      actions: { 'create later': 4, 'create now': 1 },
    },
    {
      name: 'The time of a hold counts toward the missed window',
      edits: [
        {
          file: 'libs/domain/publishing-holds.ts',
          find: 'return sum;',
          replace: 'return 0 * sum;',
        },
      ],
      faults: HOLDS,
    },
    {
      name: 'A failure does not give the credit back',
      edits: [
        {
          file: MOVES,
          find: '...creditOfUnknown(variant, unconfirmed),',
          replace: 'creditReserved: variant.creditReserved,',
        },
      ],
    },
    {
      name: 'A cancel does not give the credit back',
      edits: [
        {
          file: MOVES,
          find: "return move(variant, 'cancelled', { cancelledAt: at, ...creditOfUnknown(variant),",
          replace: "return move(variant, 'cancelled', { cancelledAt: at,",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'What ends unconfirmed gives its credit back',
      edits: [
        {
          file: MOVES,
          find: '...creditOfUnknown(variant, unconfirmed),',
          replace: 'creditReserved: false,',
        },
      ],
      faults: CUT_ANSWERS,
    },
    {
      name: 'Publishing does not spend the credit',
      edits: [
        {
          file: 'libs/domain/plan/credits.ts',
          find: "const isSpent = before.creditReserved && !after.creditReserved && after.status === 'published';",
          replace: 'const isSpent = false;',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'A retry does not reserve a credit',
      edits: [
        {
          file: MOVES,
          find: "creditReserved: variant.network === 'x', ...commentWithCredit(variant, variant.network === 'x'),",
          replace: "...commentWithCredit(variant, variant.network === 'x'),",
        },
      ],
    },
    {
      name: 'The proof that comes after unconfirmed is ignored',
      edits: [{ file: REPORTS, find: '&& !provenLate(variant, report)) return', replace: ') return' }],
      faults: QUIET,
      parts: [],
    },
    {
      name: 'The report of an old attempt is believed',
      edits: [
        {
          file: REPORTS,
          find: 'if (!post || !variant || variant.attempt !== report.attempt) return',
          replace: 'if (!post || !variant) return',
        },
      ],
      faults: CUT_AND_TOLD_TWICE,
      parts: [],
      actions: RETRYING,
    },
    {
      name: 'What a Disconnect ended is published once the Channel is connected again',
      edits: [
        {
          file: 'libs/domain/workspace/post-changes.ts',
          find: 'if (variant.channelDisconnects === channel.disconnects) return null;',
          replace:
            "if (variant.channelDisconnects === channel.disconnects || channel.state === 'connected') return null;",
        },
      ],
    },
    {
      name: 'A Disconnect does not count, so that what was queued before goes on once the Channel is connected again',
      edits: [
        {
          file: 'libs/domain/workspace/disconnect.ts',
          find: 'disconnects: channel.disconnects + 1,',
          replace: 'disconnects: channel.disconnects + (order.by === null ? 1 : 0),',
        },
      ],
      faults: QUIET,
      actions: { 'create later': 5, 'disconnect and reconnect': 3 },
    },
    {
      name: 'A Downgrade does not count as a Disconnect, so that what was queued before goes on',
      edits: [
        {
          file: 'libs/domain/workspace/disconnect.ts',
          find: 'disconnects: channel.disconnects + 1,',
          replace: 'disconnects: channel.disconnects + (order.by === null ? 0 : 1),',
        },
      ],
      faults: QUIET,
      actions: CHANGING_PLANS,
    },
    {
      name: 'A sweep ends after its first week',
      edits: [
        {
          file: SWEEP,
          find: 'const week = at.weeks.find((each) => each > sweep.next.dueWeek);',
          replace: 'const week = at.weeks.find((each) => each > sweep.next.dueWeek && each < 0);',
        },
      ],
    },
    {
      name: 'A sweep passes over the Post at which its step was full',
      edits: [
        {
          file: SWEEP,
          find: 'if (count >= MAX_STEP_VARIANTS) return { state, posts, effects, last, whole: false };\n last = postId;',
          replace:
            'last = postId;\n    if (count >= MAX_STEP_VARIANTS) return { state, posts, effects, last, whole: false };',
        },
      ],
      suite: 'libs/domain/workspace/decide/sweep.test.ts',
    },
    {
      name: 'The month never ends',
      edits: [
        {
          file: 'libs/domain/plan/month.ts',
          find: 'if (month === usage.month || follows(month, usage.month)) return usage;',
          replace: 'return usage;',
        },
      ],
    },
    {
      name: 'A revoked key works',
      edits: [
        {
          file: 'libs/domain/workspace/decision-context.ts',
          find: 'if (!key || !member || key.revoked || member.removed)',
          replace: 'if (!key || !member || member.removed)',
        },
      ],
      faults: QUIET,
      actions: ENDING_CREDENTIALS,
    },
    {
      name: 'A Member who was removed goes on with a key',
      edits: [
        {
          file: 'libs/domain/workspace/decision-context.ts',
          find: 'if (!key || !member || key.revoked || member.removed)',
          replace: 'if (!key || !member || key.revoked)',
        },
      ],
      suite: 'libs/domain/workspace/decide/members.test.ts',
    },
    {
      name: 'The Idempotency-Key is not looked at',
      edits: [
        {
          file: 'libs/domain/workspace/decide/repeated-post.ts',
          find: 'if (!record || command.issuedAt - record.createdAt >= situation.rules.idempotencyKeyMs)',
          replace: 'if (!record || command.issuedAt > 0)',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'A late copy of a command makes the cancelled Post anew',
      edits: [
        {
          file: 'libs/domain/workspace/decide/repeated-post.ts',
          find: "if (cancelledAt !== null && command.issuedAt >= cancelledAt) return { kind: 'first' };",
          replace: "if (cancelledAt !== null) return { kind: 'first' };",
        },
      ],
      suite: 'libs/domain/workspace/decide/repeated-post.test.ts',
    },
    {
      name: 'The 10-minute rule ends after a minute',
      edits: [
        {
          file: 'libs/domain/workspace/decide/repeated-post.ts',
          find: '>= situation.rules.duplicateWindowMs)',
          replace: '>= situation.rules.duplicateWindowMs / 10)',
        },
      ],
    },
    {
      name: 'A retry starts the attempt that failed again, under its old number',
      edits: [
        {
          file: MOVES,
          find: 'attempt: variant.attempt + 1,\n    failureReason: null,',
          replace: 'failureReason: null,',
        },
      ],
    },
    {
      name: 'A Variant that is due a minute early is published',
      edits: [
        {
          file: DUE,
          find: 'if (variant.dueAt - now > CLOCK_SKEW_MS) {',
          replace: 'if (variant.dueAt - now > 60_000) {',
        },
        {
          file: 'services/scheduler/timer-queue.ts',
          find: 'Math.min(next.timer.dueAt - clock.now(), MAX_ARMED_MS)',
          replace: 'Math.min(next.timer.dueAt - clock.now() - 30_000, MAX_ARMED_MS)',
        },
        {
          file: 'services/scheduler/timer-queue.ts',
          find: 'next !== undefined && next.timer.dueAt <= now &&',
          replace: 'next !== undefined && next.timer.dueAt <= now + 30_000 &&',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'A timer that fired too early is not set again',
      edits: [
        {
          file: DUE,
          find: '...(early.length === 0 ? [] : setAgain(post, due, early, now)),',
          replace: '...(early.length >= 0 ? [] : setAgain(post, due, early, now)),',
        },
      ],
      faults: LOOSE_CLOCKS,
    },
    {
      name: 'The Plan that was to come is not made at its instant',
      edits: [
        {
          file: 'libs/domain/workspace/decide/plan.ts',
          find: 'if (coming === null) return unchanged(state);',
          replace: 'if (coming !== null || coming === null) return unchanged(state);',
        },
      ],
      suite: 'libs/domain/workspace/decide/plan.test.ts',
    },
    {
      name: 'A change of Plan changes the Channels, and not the Plan',
      edits: [
        {
          file: 'libs/domain/workspace/decide/plan.ts',
          find: 'const state: WorkspaceState = { ...situation.state, plan, comingPlan: null };',
          replace: 'const state: WorkspaceState = { ...situation.state, comingPlan: null };',
        },
      ],
      faults: QUIET,
      actions: CHANGING_PLANS,
    },
    {
      name: 'A Plan that is to come stays to come when another one is chosen at once',
      edits: [
        {
          file: 'libs/domain/workspace/decide/plan.ts',
          find: 'return done(changed.state, changed.effects);',
          replace: 'return done({ ...changed.state, comingPlan: state.comingPlan }, changed.effects);',
        },
      ],
      faults: QUIET,
      actions: CHANGING_PLANS,
    },
    {
      name: 'A Downgrade disconnects the oldest Channels',
      edits: [
        {
          file: 'libs/domain/workspace/decide/plan.ts',
          find: 'const channels = channelsBeyond(state.channels, PLAN_LIMITS[plan].channels);',
          replace:
            "const beyond = channelsBeyond(state.channels, PLAN_LIMITS[plan].channels).length;\n  const channels = Object.values(state.channels)\n    .filter((channel) => channel.state !== 'not_connected')\n    .slice(0, beyond);",
        },
      ],
    },
    {
      name: 'A Post that does not wait any more is replaced',
      edits: [
        {
          file: 'libs/domain/workspace/decide/replaced-post.ts',
          find: 'if (begun || !endsAny)',
          replace: 'if (changed.length > 0 && !endsAny)',
        },
      ],
      ...{ faults: QUIET, actions: EDITING },
    },
    {
      name: 'What a Disconnect ended of a replaced Post stays queued until the sweep comes',
      edits: [
        {
          file: 'libs/domain/workspace/decide/replaced-post.ts',
          find: 'const change = changeVariants(state, post, changed);',
          replace:
            'const change = changeVariants(state, post, changed.filter((each) => each.cancelledByDisconnect === null));',
        },
      ],
      suite: 'libs/domain/workspace/decide/replaced-post.test.ts',
    },
    {
      name: 'A successor is made and the Post that it replaces stays',
      edits: [
        {
          file: CREATE,
          find: 'if (change === null) return created;',
          replace: 'if (change !== undefined) return created;',
        },
      ],
      ...{ faults: QUIET, actions: EDITING },
    },
    {
      name: 'A Post is cancelled though its successor is refused',
      edits: [
        {
          file: CREATE,
          find: 'if (refused) return unchanged(state, refused); const created',
          replace:
            'if (refused)\n    return change === null\n      ? unchanged(state, refused)\n      : { ...unchanged(change.state, refused), posts: [change.post], effects: [change.effect] };\n  const created',
        },
      ],
      ...{ faults: QUIET, actions: EDITING },
    },
    {
      name: 'A successor counts as a further Post of the month',
      edits: [
        {
          file: CREATE,
          find: 'command.replaces === undefined ? countPost(state.usage, command.issuedAt) : state.usage,',
          replace: 'countPost(state.usage, command.issuedAt),',
        },
      ],
      ...{ faults: QUIET, actions: EDITING },
    },
  ],
};
