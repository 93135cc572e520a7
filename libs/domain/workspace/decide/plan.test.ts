import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, HOUR, MINUTE, START, type Scenario } from '#testing/scenario.ts';
import { liveChannels } from '../../channel/live.ts';
import type { CreatePost } from '../commands.ts';
import { PURCHASES_KEPT_MS } from './plan.ts';

const MONTH_END = Date.UTC(2026, 11, 1);

function fillMonth(workspace: Scenario, posts: number): void {
  for (let count = 0; count < posts; count++) workspace.post({ text: `${count}` });
}

const refusalOf = (workspace: Scenario, fields: Partial<CreatePost> = {}) =>
  workspace.tell(workspace.creating({ text: 'one more', ...fields })).result;

describe('the Posts of a month', () => {
  it('beyond the Plan are refused with the Plan that has room; a cancel gives nothing back', () => {
    const workspace = aWorkspace({ plan: 'free' });
    workspace.channel('threads');
    fillMonth(workspace, 59);
    const last = workspace.post({ text: 'last', scheduledAt: START + DAY });
    workspace.must({ type: 'CancelPost', postId: last });
    expect(refusalOf(workspace)).toMatchObject({
      ok: false,
      code: 'plan_limit',
      upgrade: { plan: 'pro', limit: 'postsPerMonth', label: 'Pro: 2,000 Posts a month' },
    });
    workspace.must({ type: 'SetPlan', plan: 'pro', effectiveAt: null });
    expect(refusalOf(workspace)).toMatchObject({ ok: true });
  });

  it('start anew with the month in UTC, by the stamp of the command: a late one counts in the month it was asked in', () => {
    const workspace = aWorkspace({ plan: 'free' });
    workspace.channel('threads');
    workspace.now = MONTH_END - 1;
    fillMonth(workspace, 59);
    const late = workspace.creating({ text: 'stamped in November' });
    const later = workspace.creating({ text: 'stamped in November too' });
    workspace.now = MONTH_END;
    workspace.post({ text: 'December' });
    expect(workspace.workspace.usage).toEqual({ month: '2026-12', posts: 1, previousPosts: 59 });
    workspace.must(late);
    expect(workspace.workspace.usage).toEqual({ month: '2026-12', posts: 1, previousPosts: 60 });
    expect(workspace.tell(later).result).toMatchObject({ ok: false, code: 'plan_limit' });
    workspace.now = Date.UTC(2027, 3, 1);
    workspace.post({ text: 'April' });
    expect(workspace.workspace.usage).toEqual({ month: '2027-04', posts: 1, previousPosts: 0 });
  });

  it('are bounded by the Plan once a clock that led by a year is put back', () => {
    const workspace = aWorkspace({ plan: 'free' });
    workspace.channel('threads');
    workspace.now = START + 365 * DAY;
    workspace.post({ text: 'by a clock that leads' });
    workspace.now = START;
    fillMonth(workspace, 60);
    expect(refusalOf(workspace)).toMatchObject({ ok: false, code: 'plan_limit' });
    expect(workspace.workspace.usage).toEqual({ month: '2026-11', posts: 60, previousPosts: 0 });
  });

  it('a repeat and a refusal are not counted', () => {
    const workspace = aWorkspace({ plan: 'free' });
    workspace.channel('threads');
    workspace.post();
    workspace.post();
    refusalOf(workspace, { text: 'bad' });
    expect(workspace.workspace.usage.posts).toBe(1);
  });
});

describe('a Downgrade', () => {
  it('disconnects the newest Channels beyond the limit and cancels their scheduled Variants, in the name of no Member', () => {
    const workspace = aWorkspace({ plan: 'pro' });
    const channels = Array.from({ length: 8 }, () => workspace.channel('threads'));
    const postId = workspace.post({ scheduledAt: START + DAY });
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: null });
    expect(liveChannels(workspace.workspace.channels).map(({ id }) => id)).toEqual(channels.slice(0, 6));
    workspace.settle();
    const variants = workspace.postOf(postId).variants;
    expect(variants.slice(0, 6).every(({ status }) => status === 'scheduled')).toBe(true);
    expect(variants.slice(6)).toMatchObject([
      { status: 'cancelled', cancelledByDisconnect: { by: null } },
      { status: 'cancelled', cancelledByDisconnect: { by: null } },
    ]);
  });

  it('that waits judges by the moment a Post is due, and names the Plan being kept', () => {
    const workspace = aWorkspace({ plan: 'pro' });
    workspace.channel('threads');
    fillMonth(workspace, 60);
    const effectiveAt = START + 5 * DAY;
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt });
    expect(refusalOf(workspace, { scheduledAt: effectiveAt - 1 })).toMatchObject({ ok: true });
    expect(refusalOf(workspace, { scheduledAt: effectiveAt })).toMatchObject({
      ok: false,
      code: 'plan_limit',
      upgrade: { plan: 'pro', limit: 'postsPerMonth' },
    });
    expect(refusalOf(workspace)).toMatchObject({ ok: true });
  });

  it('that waits takes no Post for a Channel that will be gone when it is due', () => {
    const workspace = aWorkspace({ plan: 'pro' });
    const channels = Array.from({ length: 7 }, () => workspace.channel('threads'));
    const effectiveAt = START + 5 * DAY;
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt });
    expect(refusalOf(workspace, { channelIds: channels.slice(6), scheduledAt: effectiveAt })).toMatchObject({
      ok: false,
      code: 'plan_limit',
      upgrade: { plan: 'pro', limit: 'channels' },
    });
    expect(refusalOf(workspace, { channelIds: channels.slice(0, 6), scheduledAt: effectiveAt })).toMatchObject({
      ok: true,
    });
    expect(refusalOf(workspace, { channelIds: channels.slice(6), scheduledAt: effectiveAt - 1 })).toMatchObject({
      ok: true,
    });
  });

  it('comes at its moment, once, and not before', () => {
    const workspace = aWorkspace({ plan: 'pro' });
    for (let count = 0; count < 7; count++) workspace.channel('threads');
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: START + DAY });
    const due = { type: 'PlanDue', workspaceId: workspace.id } as const;
    workspace.now = START + DAY - MINUTE;
    expect(workspace.tell(due).effects).toMatchObject([{ kind: 'plan-timer', at: START + DAY + MINUTE }]);
    expect(workspace.workspace.plan).toBe('pro');
    workspace.advance(MINUTE);
    expect(workspace.workspace).toMatchObject({ plan: 'free', comingPlan: null, sweeps: [] });
    expect(liveChannels(workspace.workspace.channels)).toHaveLength(6);
    expect(workspace.tell(due).effects).toEqual([]);
  });

  it('is replaced by a later one, and called off by the Plan of now', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: START + DAY });
    workspace.must({ type: 'SetPlan', plan: 'pro', effectiveAt: START + 2 * DAY });
    workspace.advance(DAY);
    expect(workspace.workspace).toMatchObject({ plan: 'agency', comingPlan: { plan: 'pro' } });
    workspace.must({ type: 'SetPlan', plan: 'agency', effectiveAt: START + 3 * DAY });
    workspace.advance(3 * DAY);
    expect(workspace.workspace).toMatchObject({ plan: 'agency', comingPlan: null });
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: workspace.now + HOUR });
    workspace.must({ type: 'SetPlan', plan: 'pro', effectiveAt: null });
    workspace.advance(HOUR);
    expect(workspace.workspace).toMatchObject({ plan: 'pro', comingPlan: null });
  });
});

describe('X credits', () => {
  it('that were paid for are added once, also when the purchase is reported again months later', () => {
    const workspace = aWorkspace({ credits: 10 });
    const tell = (purchaseId: string) => workspace.tell({ type: 'AddCredits', credits: 100, purchaseId }).result;
    expect(tell('cs_1')).toEqual({ ok: true, kind: 'done' });
    expect(tell('cs_1')).toEqual({ ok: true, kind: 'done' });
    workspace.now += PURCHASES_KEPT_MS / 2;
    expect(tell('cs_2')).toEqual({ ok: true, kind: 'done' });
    expect(tell('cs_1')).toEqual({ ok: true, kind: 'done' });
    expect(workspace.workspace.xCredits.available).toBe(210);
    expect(Object.keys(workspace.workspace.purchases ?? {})).toEqual(['cs_1', 'cs_2']);
    workspace.now += PURCHASES_KEPT_MS - 1;
    tell('cs_3');
    expect(Object.keys(workspace.workspace.purchases ?? {})).toEqual(['cs_2', 'cs_3']);
  });

  it.each([[-11], [0.5], [Number.MAX_SAFE_INTEGER]])('%d more than 10 are refused', (credits) => {
    const workspace = aWorkspace({ credits: 10 });
    expect(workspace.tell({ type: 'AddCredits', credits }).result).toMatchObject({
      ok: false,
      code: 'invalid_request',
    });
    expect(workspace.workspace.xCredits).toEqual({ available: 10, reserved: 0 });
  });
});
