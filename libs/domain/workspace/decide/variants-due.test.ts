import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, HOUR, MINUTE, RULES, START, type Scenario } from '#testing/scenario.ts';
import type { VariantsDue } from '../commands.ts';
import { decide } from '../decide.ts';
import { dueStepOf } from '../due-step.ts';
import { MAX_STEP_VARIANTS } from '../step-bounds.ts';

const DUE = START + DAY;

function scheduled(networks: readonly ('x' | 'threads')[] = ['threads']): { workspace: Scenario; postId: string } {
  const workspace = aWorkspace();
  for (const network of networks) workspace.channel(network);
  return { workspace, postId: workspace.post({ scheduledAt: DUE }) };
}

const statuses = (workspace: Scenario, postId: string) => workspace.postOf(postId).variants.map(({ status }) => status);

describe('a Variant that is due', () => {
  it('is handed to the publisher with its latest start', () => {
    const { workspace, postId } = scheduled(['x']);
    workspace.now = DUE + 7;
    const { effects } = workspace.due(postId);
    expect(effects.map(({ kind }) => kind)).toEqual(['variants-changed', 'publish']);
    const job = effects.find(({ kind }) => kind === 'publish');
    const { id, channelId } = workspace.variant(postId);
    expect(job).toEqual({
      kind: 'publish',
      job: {
        workspaceId: workspace.id,
        variantId: id,
        attempt: 1,
        network: 'x',
        placement: 'feed',
        channelId,
        accountId: `account-${channelId}`,
        dueAt: DUE,
        latestStart: DUE + HOUR,
        reconcileFirst: false,
      },
    });
  });

  it.each([
    [HOUR, 'publishing', null],
    [HOUR + 1, 'failed', 'missed_window'],
  ])('%i ms late by the clock of the owner is %s', (lateMs, status, failureReason) => {
    const { workspace, postId } = scheduled(['x']);
    workspace.now = DUE + lateMs;
    const { effects } = workspace.due(postId);
    expect(workspace.variant(postId)).toMatchObject({ status, failureReason });
    expect(effects.some(({ kind }) => kind === 'outcome')).toBe(status === 'failed');
    expect(workspace.workspace.xCredits.reserved).toBe(status === 'failed' ? 0 : 1);
  });

  it('on a Channel that needs a reconnect fails with what can be done, and the others of the Post go on', () => {
    const { workspace, postId } = scheduled(['threads', 'threads']);
    const { channelId } = workspace.variant(postId);
    workspace.tell({
      type: 'MarkChannel',
      workspaceId: workspace.id,
      channelId,
      state: 'needs_reconnect',
      seenAt: START + 1,
    });
    workspace.now = DUE;
    workspace.due(postId);
    expect(statuses(workspace, postId)).toEqual(['failed', 'publishing']);
    expect(workspace.variant(postId)).toMatchObject({
      failureReason: 'needs_reconnect',
      failureDetail: expect.stringContaining('Reconnect it'),
    });
  });

  it('on a Channel that was disconnected is cancelled, whether or not the sweep has come to it', () => {
    const { workspace, postId } = scheduled(['x']);
    const { channelId } = workspace.variant(postId);
    workspace.must({ type: 'DisconnectChannel', channelId, memberId: Object.keys(workspace.workspace.members)[0]! });
    workspace.now = DUE;
    const { effects } = workspace.due(postId);
    expect(workspace.variant(postId)).toMatchObject({ status: 'cancelled', cancelledByDisconnect: { by: 'Ada' } });
    expect(effects.map(({ kind }) => kind)).toEqual(['variants-changed']);
    expect(workspace.workspace.xCredits).toEqual({ available: 10, reserved: 0 });
  });

  it('is published once, however often it is said to be due', () => {
    const { workspace, postId } = scheduled();
    workspace.now = DUE;
    workspace.due(postId);
    const after = workspace.state;
    expect(workspace.due(postId)).toMatchObject({ effects: [], posts: [] });
    expect(
      workspace.tell({
        type: 'VariantsDue',
        workspaceId: workspace.id,
        posts: [0, 1].map(() => ({ postId, attempt: 1, variants: [1] })),
      }).effects,
    ).toEqual([]);
    expect(workspace.state).toBe(after);
  });

  it('of another Workspace, another attempt or no Variant at all is ignored', () => {
    const { workspace, postId } = scheduled();
    workspace.now = DUE;
    for (const due of [{ attempt: 2 }, { variants: [9] }, { postId: workspace.uuid() }])
      expect(workspace.due(postId, due).effects).toEqual([]);
    expect(statuses(workspace, postId)).toEqual(['scheduled']);
  });
});

describe('a Variant that is not due yet', () => {
  it('is set again, not published, when a clock was put back', () => {
    const { workspace, postId } = scheduled();
    workspace.now = DUE - MINUTE;
    const again = { kind: 'due-timer', due: { postId, attempt: 1, variants: [1] } };
    expect(workspace.due(postId).effects).toMatchObject([again, again, again]);
    expect(statuses(workspace, postId)).toEqual(['scheduled']);
    workspace.advance(2 * MINUTE);
    expect(statuses(workspace, postId)).toEqual(['publishing']);
  });

  const LONGER = [2 * MINUTE, 3 * MINUTE];
  it.each([
    ['by a little more than the lead of the clock that fired it', MINUTE, [61_440, ...LONGER]],
    [
      'by each lead that is provided for, where it was due sooner than that',
      10_000,
      [10_240, 15_000, 30_000, MINUTE, ...LONGER],
    ],
    ['by five minutes at most', 30 * MINUTE, [5 * MINUTE]],
  ])('is set later %s, or that clock would fire it again at once, for ever', (_, leadMs, laterMs) => {
    const { workspace, postId } = scheduled();
    workspace.now = DUE - leadMs;
    const { effects } = workspace.due(postId);
    expect(effects.map((effect) => effect.kind === 'due-timer' && effect.at - DUE)).toEqual(laterMs);
    workspace.now += 5;
    expect(workspace.due(postId).effects, 'soon afterwards: the same timers').toEqual(effects);
  });

  it('by the little that two clocks differ goes on: the scheduler has said that it is time', () => {
    const { workspace, postId } = scheduled();
    workspace.now = DUE - 50;
    workspace.due(postId);
    expect(statuses(workspace, postId)).toEqual(['publishing']);
  });
});

describe('many Variants due at once', () => {
  const command = (sizes: readonly number[]): VariantsDue => ({
    type: 'VariantsDue',
    workspaceId: 'w',
    posts: sizes.map((size, index) => ({
      postId: `${index}`,
      attempt: 1,
      variants: Array.from({ length: size }, (_, number) => number + 1),
    })),
  });

  it.each([[[100]], [[200, 200]], [[60, 60, 60]], [[1, 100, 1]], [Array.from({ length: 250 }, () => 1)]])(
    '%j are cut into full steps that lose none and keep the order',
    (sizes) => {
      const seen: string[] = [];
      let steps = 0;
      for (let rest: VariantsDue | null = command(sizes); rest; steps++) {
        const step = dueStepOf(rest);
        const variants = step.posts.flatMap(({ postId, variants }) => variants.map((number) => `${postId}/${number}`));
        expect(variants.length).toBeLessThanOrEqual(MAX_STEP_VARIANTS);
        seen.push(...variants);
        rest = step.rest;
      }
      expect(seen).toEqual(
        command(sizes).posts.flatMap(({ postId, variants }) => variants.map((number) => `${postId}/${number}`)),
      );
      expect(steps).toBe(Math.ceil(seen.length / MAX_STEP_VARIANTS));
    },
  );

  it('all publish, step after step', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    for (let count = 0; count < 100; count++) workspace.channel('threads');
    const posts = ['a', 'b'].map((text) => workspace.post({ text, scheduledAt: DUE }));
    workspace.now = DUE;
    const due = posts.map((postId) => ({
      postId,
      attempt: 1,
      variants: Array.from({ length: 100 }, (_, index) => index + 1),
    }));
    workspace.tell({ type: 'VariantsDue', workspaceId: workspace.id, posts: due });
    expect(
      posts.flatMap((postId) => statuses(workspace, postId)).filter((status) => status === 'publishing'),
    ).toHaveLength(200);
  });

  it('that all fail are cut into steps whose outcomes weigh no more than a turn can carry', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    for (let count = 0; count < 100; count++) workspace.channel('threads');
    const posts = ['a', 'b'].map((letter) => workspace.post({ text: letter.repeat(40_000), scheduledAt: DUE }));
    workspace.now = DUE + 2 * HOUR;
    const due = posts.map((postId) => ({
      postId,
      attempt: 1,
      variants: Array.from({ length: 100 }, (_, index) => index + 1),
    }));
    const view = {
      posts: new Map(workspace.posts),
      assets: new Map(),
      digests: new Map(),
      idempotencyKeys: new Map(),
      tokenOwners: new Map(),
      dueWeek: null,
    };
    const step = decide(
      { type: 'VariantsDue', workspaceId: workspace.id, posts: due },
      { state: workspace.state, view, now: workspace.now, rules: RULES, holds: [], restoration: null },
    );
    expect(step.effects.map(({ kind }) => kind)).toEqual(['variants-changed', 'outcome', 'outcome']);
    const { effects } = workspace.tell({ type: 'VariantsDue', workspaceId: workspace.id, posts: due });
    expect(effects.filter(({ kind }) => kind === 'outcome')).toHaveLength(200);
    expect(new Set(posts.flatMap((postId) => statuses(workspace, postId)))).toEqual(new Set(['failed']));
  });

  it('that all fail are cut by the texts that their Channels have of their own, too', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    const channels = Array.from({ length: 20 }, () => workspace.channel('threads'));
    const channelOptions = Object.fromEntries(channels.map((id, index) => [id, { text: `${index}`.repeat(10_000) }]));
    const postId = workspace.post({ channelOptions, scheduledAt: DUE });
    workspace.now = DUE + 2 * HOUR;
    const variants = channels.map((_, index) => index + 1);
    const told = decide(
      { type: 'VariantsDue', workspaceId: workspace.id, posts: [{ postId, attempt: 1, variants }] },
      {
        state: workspace.state,
        view: {
          posts: new Map(workspace.posts),
          assets: new Map(),
          digests: new Map(),
          idempotencyKeys: new Map(),
          tokenOwners: new Map(),
          dueWeek: null,
        },
        now: workspace.now,
        rules: RULES,
        holds: [],
        restoration: null,
      },
    );
    expect(told.effects.filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
    expect(told.rest).toMatchObject({ posts: [{ postId, variants: variants.slice(1) }] });
  });
});
