import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aWorkspace, MINUTE, type Asking, type Scenario } from '#testing/scenario.ts';
import { variantIdOf, variantNumberOf } from '../post/ids.ts';
import type { Variant } from '../post/post.ts';
import { mayMove } from '../variant/transitions.ts';
import { isAsked, type Command } from './commands.ts';
import type { Effect } from './effects.ts';

const CREDITS = 4;
const REPORTS = ['PublishSucceeded', 'PublishFailed', 'PublishUnconfirmed'] as const;

/** What happens next, in small numbers that are read against what there is. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('create' as const), text: fc.nat(3), inMinutes: fc.option(fc.integer({ min: 1, max: 40 })) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('due' as const), post: fc.nat(9), attempt: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('report' as const), type: fc.constantFrom(...REPORTS), post: fc.nat(9), number: fc.integer({ min: 1, max: 4 }), attempt: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('retry' as const), post: fc.nat(9), number: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('cancel' as const), post: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('connect' as const, 'disconnect' as const), channel: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('mark' as const), channel: fc.nat(3), healthy: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('plan' as const), plan: fc.constantFrom('free' as const, 'pro' as const), inMinutes: fc.option(fc.integer({ min: 1, max: 40 })) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('hear itself' as const) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 70 }) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('repeat' as const), back: fc.nat(9) }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

function commandOf(workspace: Scenario, happened: Exclude<Happening, { what: 'wait' | 'repeat' }>): Command | undefined {
  const posts = [...workspace.posts.keys()];
  const postAt = (index: number) => posts[index % posts.length];
  const channelAt = (index: number) => Object.values(workspace.workspace.channels)[index]!;
  const ask = (asking: Asking) => workspace.ask(asking);
  const after = (minutes: number | null) => (minutes === null ? null : workspace.now + minutes * MINUTE);
  switch (happened.what) {
    case 'create':
      return workspace.creating({ text: `${happened.text}`, scheduledAt: after(happened.inMinutes) });
    case 'plan':
      return ask({ type: 'SetPlan', plan: happened.plan, effectiveAt: after(happened.inMinutes) });
    case 'mark':
      return { type: 'MarkChannel', workspaceId: workspace.id, channelId: channelAt(happened.channel).id, state: happened.healthy ? 'connected' : 'needs_reconnect', seenAt: workspace.now };
    case 'disconnect':
      return ask({ type: 'DisconnectChannel', channelId: channelAt(happened.channel).id, memberId: null });
    case 'connect': {
      const { id, network, name, avatarUrl, accountId, kind } = channelAt(happened.channel);
      return ask({ type: 'ConnectChannel', channelId: id, network, name, avatarUrl, accountId, kind });
    }
    case 'hear itself':
      return workspace.own.shift();
  }
  const postId = postAt(happened.post);
  if (postId === undefined) return undefined;
  switch (happened.what) {
    case 'cancel':
      return ask({ type: 'CancelPost', postId });
    case 'retry':
      return ask({ type: 'RetryVariant', variantId: variantIdOf(postId, happened.number) });
    case 'due': {
      const variants = workspace.postOf(postId).variants.map(({ id }) => variantNumberOf(id));
      return { type: 'VariantsDue', workspaceId: workspace.id, posts: [{ postId, attempt: happened.attempt, variants }] };
    }
    case 'report': {
      const about = { workspaceId: workspace.id, variantId: variantIdOf(postId, happened.number), attempt: happened.attempt };
      if (happened.type === 'PublishSucceeded') return { type: happened.type, ...about, remoteId: 'r', permalink: null };
      if (happened.type === 'PublishFailed') return { type: happened.type, ...about, reason: 'platform_problem', detail: '' };
      return { type: happened.type, ...about, detail: '' };
    }
  }
}

const variantsOf = (workspace: Scenario): ReadonlyMap<string, Variant> => new Map([...workspace.posts.values()].flatMap(({ variants }) => variants.map((variant) => [variant.id, variant])));

/** One command moves a Variant by one transition at most, and never back to an older attempt. */
function checkMoves(before: ReadonlyMap<string, Variant>, after: ReadonlyMap<string, Variant>): void {
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then) continue;
    if (then.status !== now.status && !mayMove(then.status, now.status)) throw new Error(`${id} went from ${then.status} to ${now.status}`);
    expect(now.attempt - then.attempt).toBe(then.status === 'failed' && now.status === 'scheduled' ? 1 : 0);
    expect(now.scheduledAt).toBe(then.scheduledAt);
  }
}

/** Every credit is available, reserved by a Variant, or spent by a published one. */
function checkCredits(workspace: Scenario): void {
  const variants = [...variantsOf(workspace).values()];
  const reserved = variants.filter(({ creditReserved }) => creditReserved).length;
  const spent = variants.filter(({ network, status }) => network === 'x' && status === 'published').length;
  expect(workspace.workspace.xCredits).toEqual({ reserved, available: CREDITS - reserved - spent });
}

/** An attempt is handed over once, and only on a Channel that was not disconnected since it was queued. */
function checkJobs(workspace: Scenario, effects: readonly Effect[], handedOver: Set<string>): void {
  for (const effect of effects) {
    if (effect.kind !== 'publish') continue;
    const attempt = `${effect.job.variantId}/${effect.job.attempt}`;
    expect(handedOver).not.toContain(attempt);
    handedOver.add(attempt);
    const channel = workspace.workspace.channels[effect.job.channelId]!;
    expect(channel.state).toBe('connected');
    expect(variantsOf(workspace).get(effect.job.variantId)).toMatchObject({ status: 'publishing', channelDisconnects: channel.disconnects });
  }
}

function run(happenings: readonly Happening[]): void {
  const workspace = aWorkspace({ credits: CREDITS });
  for (const network of ['x', 'threads', 'x', 'facebook'] as const) workspace.channel(network);
  const told: Command[] = [];
  const handedOver = new Set<string>();
  for (const happened of happenings) {
    if (happened.what === 'wait') {
      workspace.now += happened.minutes * MINUTE;
      continue;
    }
    const command = happened.what === 'repeat' ? told.at(-1 - happened.back) : commandOf(workspace, happened);
    // Asked commands that come twice are known by their request id, before anything is decided.
    if (command === undefined || (happened.what === 'repeat' && isAsked(command))) continue;
    told.push(command);
    const before = variantsOf(workspace);
    const { effects } = workspace.tell(command);
    checkMoves(before, variantsOf(workspace));
    checkCredits(workspace);
    checkJobs(workspace, effects, handedOver);
    if (!isAsked(command)) checkRepeat(workspace, command);
  }
}

/** What a report causes a second time is at most the timer of something that is not due yet. */
function checkRepeat(workspace: Scenario, command: Command): void {
  const state = workspace.state;
  const { effects, posts } = workspace.tell(command);
  expect(workspace.state).toEqual(state);
  expect(posts).toEqual([]);
  expect(effects.filter(({ kind }) => kind !== 'due-timer' && kind !== 'plan-timer')).toEqual([]);
}

describe('whatever happens to a Workspace, in whatever order', () => {
  it('credits balance, attempts grow, only the transitions of the table happen, and no report counts twice', () => {
    fc.assert(fc.property(fc.array(happening, { maxLength: 60 }), run), { numRuns: 300 });
  });

  it('and once everything was heard and reported, nothing is left on its way', () => {
    const finishing = fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      const workspace = aWorkspace({ credits: CREDITS });
      for (const network of ['x', 'threads', 'x', 'facebook'] as const) workspace.channel(network);
      for (const happened of happenings) {
        const command = happened.what === 'wait' || happened.what === 'repeat' ? undefined : commandOf(workspace, happened);
        if (command) workspace.tell(command);
      }
      workspace.advance(41 * MINUTE);
      for (const post of workspace.posts.values()) post.variants.forEach((_, index) => workspace.succeed(post.id, index + 1));
      const left = [...variantsOf(workspace).values()].filter(({ status }) => status === 'scheduled' || status === 'publishing');
      expect(left).toEqual([]);
      expect(workspace.workspace.sweeps).toEqual([]);
    });
    fc.assert(finishing, { numRuns: 150 });
  });
});
