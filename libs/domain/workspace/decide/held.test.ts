import { describe, expect, test } from 'vitest';
import type { HeldPeriod } from '#domain/publishing-holds.ts';
import type { OverdueChoice } from '#domain/restoration.ts';
import { aWorkspace, DAY, HOUR, MINUTE, START, type Scenario } from '#testing/scenario.ts';

const DUE = START + DAY;
const held = (from = START, until: number | null = null): HeldPeriod => ({
  network: null,
  workspaceId: null,
  from,
  until,
});

function twoDue(): { workspace: Scenario; first: string; second: string; channelId: string } {
  const workspace = aWorkspace();
  workspace.channel('threads');
  const first = workspace.post({ scheduledAt: DUE, text: 'first' });
  const second = workspace.post({ scheduledAt: DUE + MINUTE, text: 'second' });
  return { workspace, first, second, channelId: workspace.variant(first).channelId };
}

const kinds = ({ effects }: ReturnType<Scenario['tell']>) => effects.map(({ kind }) => kind);

describe('while publishing is held', () => {
  test('what comes due stays scheduled, is counted, and can be cancelled', () => {
    const { workspace, first, second, channelId } = twoDue();
    workspace.holds = [held()];
    workspace.now = DUE + MINUTE;
    expect(kinds(workspace.due(first))).toEqual(['variants-changed']);
    workspace.due(second);
    expect(workspace.variant(first)).toMatchObject({ status: 'scheduled', hold: { waiting: true }, attempt: 1 });
    expect(workspace.workspace.held).toEqual({ [channelId]: { waiting: 2, underWay: 0 } });
    workspace.must({ type: 'CancelPost', postId: second });
    expect(workspace.workspace.held).toEqual({ [channelId]: { waiting: 1, underWay: 0 } });
    expect(kinds(workspace.due(first)), 'its timer comes again').toEqual([]);
  });

  test('an immediate Post is scheduled, and one of another Network is published', () => {
    const workspace = aWorkspace({ credits: 5 });
    const onX = workspace.channel('x');
    workspace.channel('threads');
    workspace.holds = [{ ...held(), network: 'x' }];
    const postId = workspace.post({ scheduledAt: null });
    expect(workspace.postOf(postId).variants.map(({ status }) => status)).toEqual(['scheduled', 'publishing']);
    expect(workspace.workspace.held).toEqual({ [onX]: { waiting: 1, underWay: 0 } });
    workspace.holds = [];
    expect(kinds(workspace.due(postId))).toEqual(['variants-changed', 'publish']);
    workspace.succeed(postId);
    expect(workspace.workspace.held).toBeUndefined();
  });

  test('a hold of another Workspace keeps nothing back', () => {
    const { workspace, first } = twoDue();
    workspace.holds = [{ ...held(), workspaceId: 'another' }];
    workspace.now = DUE;
    workspace.due(first);
    expect(workspace.variant(first).status).toBe('publishing');
  });

  test('nothing is missed, and the window goes on where it stood', () => {
    const { workspace, first, second } = twoDue();
    workspace.holds = [held(DUE + 30 * MINUTE)];
    workspace.now = DUE + 20 * HOUR;
    workspace.due(first);
    workspace.due(second);
    expect(workspace.variant(first).status).toBe('scheduled');
    workspace.holds = [held(DUE + 30 * MINUTE, workspace.now)];
    workspace.now += 29 * MINUTE;
    workspace.due(first);
    expect(workspace.variant(first).status).toBe('publishing');
    workspace.now += 5 * MINUTE;
    workspace.due(second);
    expect(workspace.variant(second)).toMatchObject({ status: 'failed', failureReason: 'missed_window' });
  });

  test('what was missed before the hold is reported when it is released', () => {
    const { workspace, first } = twoDue();
    workspace.holds = [held(DUE + 2 * HOUR)];
    workspace.now = DUE + 3 * HOUR;
    workspace.due(first);
    expect(workspace.variant(first).status).toBe('scheduled');
    workspace.holds = [held(DUE + 2 * HOUR, workspace.now)];
    workspace.due(first);
    expect(workspace.variant(first)).toMatchObject({ failureReason: 'missed_window' });
    expect(workspace.workspace.held).toBeUndefined();
  });

  test('a Channel that was disconnected meanwhile cancels what waits, although it is held', () => {
    const { workspace, first, channelId } = twoDue();
    workspace.holds = [held()];
    workspace.now = DUE;
    workspace.due(first);
    workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
    workspace.due(first);
    expect(workspace.variant(first)).toMatchObject({ status: 'cancelled' });
    expect(workspace.workspace.held).toBeUndefined();
  });

  test('files that were not ready are waited for after the release, for the rest of the window', () => {
    const { workspace, first } = twoDue();
    const waiting = {
      ...workspace.postOf(first),
      variants: workspace.postOf(first).variants.map((v) => ({ ...v, mediaReady: false })),
    };
    workspace.posts.set(first, waiting);
    workspace.holds = [held()];
    workspace.now = DUE;
    expect(kinds(workspace.due(first))).toEqual(['variants-changed']);
    workspace.holds = [held(START, DUE + 2 * HOUR)];
    workspace.now = DUE + 2 * HOUR;
    const { effects } = workspace.due(first);
    expect(workspace.variant(first)).toMatchObject({ status: 'scheduled', hold: { waiting: false } });
    expect(workspace.workspace.held).toBeUndefined();
    const timer = effects.find(({ kind }) => kind === 'due-timer') as { at: number };
    expect(timer.at).toBeGreaterThan(workspace.now + HOUR);
    expect(timer.at).toBeLessThan(workspace.now + HOUR + MINUTE);
  });
});

describe('after a release', () => {
  test('what comes due behind others of its Channel that wait does not overtake them', () => {
    const { workspace, first, second, channelId } = twoDue();
    workspace.holds = [held()];
    workspace.now = DUE;
    workspace.due(first);
    workspace.holds = [held(START, DUE)];
    workspace.now = DUE + MINUTE;
    workspace.due(second);
    expect(workspace.variant(second).status).toBe('scheduled');
    const third = workspace.post({ scheduledAt: null, text: 'third' });
    expect(workspace.variant(third).status).toBe('scheduled');
    expect(workspace.workspace.held).toEqual({ [channelId]: { waiting: 3, underWay: 0 } });
    for (const postId of [first, second, third]) workspace.due(postId);
    expect(workspace.workspace.held).toEqual({ [channelId]: { waiting: 0, underWay: 3 } });
    workspace.succeed(first);
    expect(workspace.workspace.held).toEqual({ [channelId]: { waiting: 0, underWay: 2 } });
  });
});

describe('an attempt that a publisher gives back', () => {
  const giveBack = (workspace: Scenario, postId: string, attempt: number) =>
    workspace.tell({
      type: 'PublishHeld',
      workspaceId: workspace.id,
      variantId: workspace.variant(postId).id,
      attempt,
    });

  test('is scheduled again as another attempt, once, and its late report changes nothing', () => {
    const { workspace, first, channelId } = twoDue();
    workspace.now = DUE;
    workspace.due(first);
    giveBack(workspace, first, 1);
    expect(workspace.variant(first)).toMatchObject({
      status: 'scheduled',
      attempt: 2,
      dueAt: DUE,
      hold: { waiting: true },
    });
    expect(workspace.workspace.held).toEqual({ [channelId]: { waiting: 1, underWay: 0 } });
    expect(giveBack(workspace, first, 1).effects).toEqual([]);
    expect(workspace.succeed(first, 1, 1).effects).toEqual([]);
    workspace.due(first, { attempt: 1 });
    expect(workspace.variant(first).status).toBe('scheduled');
    workspace.due(first);
    expect(workspace.variant(first)).toMatchObject({ status: 'publishing', attempt: 2 });
    expect(workspace.workspace.held).toEqual({ [channelId]: { waiting: 0, underWay: 1 } });
  });

  test('can be cancelled, and a credit comes back', () => {
    const workspace = aWorkspace({ credits: 1 });
    workspace.channel('x');
    const postId = workspace.post({ scheduledAt: null });
    giveBack(workspace, postId, 1);
    workspace.must({ type: 'CancelPost', postId });
    expect(workspace.variant(postId).status).toBe('cancelled');
    expect(workspace.workspace.xCredits).toEqual({ available: 1, reserved: 0 });
    expect(workspace.workspace.held).toBeUndefined();
  });

  test('of a Variant that came to its end is ignored', () => {
    const { workspace, first } = twoDue();
    workspace.now = DUE;
    workspace.due(first);
    workspace.succeed(first);
    expect(giveBack(workspace, first, 1).effects).toEqual([]);
    expect(workspace.variant(first).status).toBe('published');
  });
});

describe('after a restore, what was due before the release and may be live', () => {
  const RELEASED = DUE + 2 * HOUR;
  const COPY = { backupAt: DUE - HOUR, restoredAt: DUE + HOUR, released: null };

  /** A Post with one Variant, held since the backup, and released. */
  function restored(overdue: OverdueChoice): { workspace: Scenario; postId: string; channelId: string } {
    const workspace = aWorkspace({ credits: 1 });
    const channelId = workspace.channel('x');
    const postId = workspace.post({ scheduledAt: DUE });
    workspace.now = RELEASED - HOUR;
    workspace.restoration = COPY;
    workspace.holds = [held(COPY.backupAt)];
    workspace.due(postId);
    workspace.now = RELEASED;
    workspace.restoration = { ...COPY, released: { overdue, at: RELEASED, by: 'operator' } };
    workspace.holds = [held(COPY.backupAt, RELEASED)];
    return { workspace, postId, channelId };
  }

  function loseChannel({ workspace, channelId }: ReturnType<typeof restored>): void {
    const refused = { type: 'MarkChannel', channelId, state: 'needs_reconnect', seenAt: workspace.now } as const;
    workspace.tell({ ...refused, workspaceId: workspace.id });
  }

  test.each<[OverdueChoice, string, RegExp, boolean]>([
    ['ask', 'unconfirmed', /restored from a backup.*x had to be reconnected when this was due.*may be live/, true],
    ['fail', 'unconfirmed', /restored from a backup.*chose not to publish it again.*may be live/, true],
    ['publish', 'needs_reconnect', /^x had to be reconnected when this was due\. Reconnect it, then retry\.$/, false],
  ])('on a Channel that needs a reconnect, released by %s, fails as %s', (overdue, failureReason, words, mayBeLive) => {
    const copy = restored(overdue);
    const { workspace, postId } = copy;
    loseChannel(copy);
    expect(kinds(workspace.due(postId))).toContain('outcome');
    expect(workspace.variant(postId)).toMatchObject({
      ...{ status: 'failed', failureReason, failureDetail: expect.stringMatching(words) },
      ...{ creditReserved: mayBeLive, reconcileFirst: mayBeLive },
    });
  });

  test('is published, so that the Network is asked, however late it is', () => {
    const { workspace, postId } = restored('ask');
    workspace.now += 2 * HOUR;
    expect(kinds(workspace.due(postId))).toContain('publish');
    expect(workspace.variant(postId).status).toBe('publishing');
  });

  test('is unconfirmed where its files were not ready in time', () => {
    const { workspace, postId } = restored('ask');
    const post = workspace.postOf(postId);
    workspace.posts.set(postId, { ...post, variants: post.variants.map((each) => ({ ...each, mediaReady: false })) });
    workspace.due(postId);
    expect(workspace.variant(postId).status, 'while there is time').toBe('scheduled');
    workspace.now += 2 * HOUR;
    workspace.due(postId);
    expect(workspace.variant(postId)).toMatchObject({ status: 'failed', failureReason: 'unconfirmed' });
  });

  test('is told from what was due after the release, and from what was made after the backup', () => {
    const copy = restored('ask');
    const { workspace } = copy;
    workspace.must({ type: 'AddCredits', credits: 2 });
    workspace.now = START;
    const later = workspace.post({ scheduledAt: RELEASED + HOUR, text: 'later' });
    workspace.now = RELEASED - MINUTE;
    const made = workspace.post({ scheduledAt: null, text: 'made here' });
    workspace.now = RELEASED;
    loseChannel(copy);
    workspace.now = RELEASED + HOUR;
    // In the order in which they wait for their Channel.
    workspace.due(copy.postId);
    for (const postId of [made, later]) {
      workspace.due(postId);
      expect(workspace.variant(postId)).toMatchObject({ failureReason: 'needs_reconnect', reconcileFirst: false });
    }
  });
});
