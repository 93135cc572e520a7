import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aWorkspace, MINUTE, type Asking, type Scenario } from '#testing/scenario.ts';
import { variantIdOf, variantNumberOf } from '../post/ids.ts';
import type { Variant } from '../post/post.ts';
import { mayMove } from '../variant/transitions.ts';
import { isRequested, type Command } from './commands.ts';
import type { Effect } from './effects.ts';

const CREDITS = 4;
const REPORTS = ['PublishSucceeded', 'PublishFailed', 'PublishUnconfirmed'] as const;

const CHANNELS = ['x', 'threads', 'x'] as const;
const post = fc.nat(4);
const number = fc.integer({ min: 1, max: CHANNELS.length });
const channel = fc.nat(CHANNELS.length - 1);
const inMinutes = fc.option(fc.integer({ min: 1, max: 40 }));
/** 0: the attempt that is current, 1: the one before it. */
const behind = fc.constantFrom(0, 0, 0, 1);

const what = <K extends string, T extends object>(
  weight: number,
  kind: K,
  model: { [P in keyof T]: fc.Arbitrary<T[P]> },
) => ({
  weight,
  arbitrary: fc.record(model).map((fields) => ({ what: kind, ...(fields as T) })),
});

/** What happens next, in small numbers that are read against what there is. */
const happening = fc.oneof(
  what(5, 'create', { text: fc.nat(9), channels: fc.subarray([0, 1, 2], { minLength: 1 }), inMinutes }),
  what(6, 'due', { post, number, behind }),
  what(8, 'report', { type: fc.constantFrom(...REPORTS), post, number, behind }),
  what(5, 'retry', { post, number }),
  what(1, 'cancel', { post }),
  what(2, 'connect', { channel }),
  what(1, 'disconnect', { channel }),
  what(2, 'mark', { channel, healthy: fc.boolean() }),
  what(1, 'plan', { plan: fc.constantFrom('free' as const, 'pro' as const), inMinutes }),
  what(3, 'hear itself', {}),
  what(2, 'wait', { minutes: fc.constantFrom(1, 20, 40, 70) }),
  what(4, 'repeat', { back: fc.nat(9) }),
);
// Long ones: what is worth finding takes a create, an outcome, a retry and something late.
const happenings = fc.array(happening, { minLength: 30, maxLength: 90 });
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

function commandOf(
  workspace: Scenario,
  happened: Exclude<Happening, { what: 'wait' | 'repeat' }>,
): Command | undefined {
  const posts = [...workspace.posts.keys()];
  const postAt = (index: number) => posts[index % posts.length];
  const channelAt = (index: number) => Object.values(workspace.workspace.channels)[index]!;
  const ask = (asking: Asking) => workspace.ask(asking);
  const after = (minutes: number | null) => (minutes === null ? null : workspace.now + minutes * MINUTE);
  switch (happened.what) {
    case 'create':
      return workspace.creating({
        text: `${happened.text}`,
        channelIds: happened.channels.map((index) => channelAt(index).id),
        scheduledAt: after(happened.inMinutes),
      });
    case 'plan':
      return ask({ type: 'SetPlan', plan: happened.plan, effectiveAt: after(happened.inMinutes) });
    case 'mark':
      return {
        type: 'MarkChannel',
        workspaceId: workspace.id,
        channelId: channelAt(happened.channel).id,
        state: happened.healthy ? 'connected' : 'needs_reconnect',
        seenAt: workspace.now,
      };
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
      const attempt = attemptOf(workspace, postId, happened);
      const variants = workspace.postOf(postId).variants.map(({ id }) => variantNumberOf(id));
      return { type: 'VariantsDue', workspaceId: workspace.id, posts: [{ postId, attempt, variants }] };
    }
    case 'report': {
      const about = {
        workspaceId: workspace.id,
        variantId: variantIdOf(postId, happened.number),
        attempt: attemptOf(workspace, postId, happened),
      };
      if (happened.type === 'PublishSucceeded')
        return { type: happened.type, ...about, remoteId: 'r', permalink: null };
      if (happened.type === 'PublishFailed')
        return { type: happened.type, ...about, reason: 'platform_problem', detail: '' };
      return { type: happened.type, ...about, detail: '' };
    }
  }
}

function attemptOf(
  workspace: Scenario,
  postId: string,
  about: { readonly number: number; readonly behind: number },
): number {
  const variant = workspace.postOf(postId).variants[about.number - 1];
  return (variant?.attempt ?? 1) - about.behind;
}

const variantsOf = (workspace: Scenario): ReadonlyMap<string, Variant> =>
  new Map([...workspace.posts.values()].flatMap(({ variants }) => variants.map((variant) => [variant.id, variant])));

/**
 * One command moves a Variant by one transition at most, and never back to an older attempt; what names another attempt
 * moves nothing.
 */
function checkMoves(before: ReadonlyMap<string, Variant>, after: ReadonlyMap<string, Variant>, command: Command): void {
  const attempt =
    'attempt' in command ? command.attempt : command.type === 'VariantsDue' ? command.posts[0]!.attempt : null;
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then || then === now) continue;
    if (attempt !== null) expect(then.attempt).toBe(attempt);
    if (!mayMove(then.status, now.status)) throw new Error(`${id} went from ${then.status} to ${now.status}`);
    expect(now.attempt - then.attempt).toBe(then.status === 'failed' && now.status === 'scheduled' ? 1 : 0);
    if (then.status === 'failed' && now.status === 'published') expect(then.failureReason).toBe('unconfirmed');
    expect(now.scheduledAt).toBe(then.scheduledAt);
  }
}

/** Every credit is available, reserved by a Variant, or spent by a published one. */
function checkCredits(workspace: Scenario): void {
  const variants = [...variantsOf(workspace).values()];
  const reserved = variants.filter(({ creditReserved }) => creditReserved).length;
  const spent = variants.filter(({ network, status }) => network === 'x' && status === 'published').length;
  expect(workspace.workspace.xCredits).toEqual({ reserved, available: CREDITS - reserved - spent });
  for (const { network, status, creditReserved } of variants) {
    if (status === 'scheduled' || status === 'publishing') expect(creditReserved).toBe(network === 'x');
  }
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
    expect(variantsOf(workspace).get(effect.job.variantId)).toMatchObject({
      status: 'publishing',
      channelDisconnects: channel.disconnects,
    });
  }
}

function aWorkspaceWithChannels(): Scenario {
  const workspace = aWorkspace({ credits: CREDITS });
  for (const network of CHANNELS) workspace.channel(network);
  return workspace;
}

/**
 * Reports that name one thing at one moment: whatever they changed, they change it once, however much later they are
 * repeated.
 */
const ONCE: readonly Command['type'][] = [...REPORTS, 'MarkChannel', 'ContinueSweep'];

function run(happened: readonly Happening[]): void {
  const workspace = aWorkspaceWithChannels();
  const told: { command: Command; counted: boolean }[] = [];
  const handedOver = new Set<string>();
  for (const each of happened) {
    if (each.what === 'wait') {
      workspace.now += each.minutes * MINUTE;
      continue;
    }
    workspace.now += 1;
    const repeated = each.what === 'repeat' ? told.at(-1 - each.back) : undefined;
    const command = each.what === 'repeat' ? repeated?.command : commandOf(workspace, each);
    // Asked commands that come twice are known by their request id, before anything is decided.
    if (command === undefined || (repeated && isRequested(command))) continue;
    const [before, state] = [variantsOf(workspace), workspace.state];
    const { effects, posts } = workspace.tell(command);
    const counted = workspace.state !== state || posts.length > 0;
    if (repeated?.counted && ONCE.includes(command.type)) expect(counted).toBe(false);
    told.push({ command, counted: counted || (repeated?.counted ?? false) });
    checkMoves(before, variantsOf(workspace), command);
    checkCredits(workspace);
    checkJobs(workspace, effects, handedOver);
    if (!isRequested(command)) checkRepeat(workspace, command);
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
    fc.assert(fc.property(happenings, run), { numRuns: 300 });
  });

  it('and once every message was handled, nothing is left in progress', () => {
    const finishing = fc.property(happenings, (happened) => {
      const workspace = aWorkspaceWithChannels();
      for (const each of happened) {
        const command = each.what === 'wait' || each.what === 'repeat' ? undefined : commandOf(workspace, each);
        if (command) workspace.tell(command);
      }
      workspace.advance(41 * MINUTE);
      for (const { id, variants } of workspace.posts.values())
        variants.forEach((_, index) => workspace.succeed(id, index + 1));
      const left = [...variantsOf(workspace).values()].filter(
        ({ status }) => status === 'scheduled' || status === 'publishing',
      );
      expect(left).toEqual([]);
      expect(workspace.workspace.sweeps).toEqual([]);
    });
    fc.assert(finishing, { numRuns: 100 });
  });
});
