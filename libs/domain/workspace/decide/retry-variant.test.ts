import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, HOUR, START, type Scenario } from '#testing/scenario.ts';

const DUE = START + DAY;

function failed(how: 'failed' | 'unconfirmed' = 'failed', credits = 1): { workspace: Scenario; postId: string } {
  const workspace = aWorkspace({ credits });
  workspace.channel('x');
  const postId = workspace.post({ scheduledAt: DUE });
  workspace.now = DUE;
  workspace.due(postId);
  if (how === 'failed') workspace.fail(postId);
  else workspace.unconfirm(postId);
  return { workspace, postId };
}

const lastJob = (workspace: Scenario) => workspace.effects.findLast((effect) => effect.kind === 'publish')?.job;

describe('a retry', () => {
  it('queues the next attempt, due at once, by a command of the Workspace to itself', () => {
    const { workspace, postId } = failed();
    workspace.now += 3 * HOUR;
    expect(workspace.retry(postId)).toEqual({ ok: true, kind: 'variant', variantId: workspace.variant(postId).id });
    expect(workspace.variant(postId)).toMatchObject({
      status: 'scheduled',
      attempt: 2,
      failureReason: null,
      failureDetail: null,
      scheduledAt: DUE,
      dueAt: DUE + 3 * HOUR,
    });
    expect(workspace.own).toEqual([
      { type: 'VariantsDue', workspaceId: workspace.id, posts: [{ postId, attempt: 2, variants: [1] }] },
    ]);
    workspace.settle();
    expect(workspace.variant(postId).status).toBe('publishing');
    expect(lastJob(workspace)).toMatchObject({ attempt: 2, dueAt: DUE + 3 * HOUR, reconcileFirst: false });
  });

  it('of an unknown outcome asks the Network first, in every attempt that follows', () => {
    const { workspace, postId } = failed('unconfirmed');
    workspace.retry(postId);
    workspace.settle();
    expect(lastJob(workspace)).toMatchObject({ attempt: 2, reconcileFirst: true });
    workspace.fail(postId);
    workspace.retry(postId);
    workspace.settle();
    expect(lastJob(workspace)).toMatchObject({ attempt: 3, reconcileFirst: true });
  });

  it('keeps the credit that an unknown outcome kept, and reserves again what was given back', () => {
    for (const how of ['failed', 'unconfirmed'] as const) {
      const { workspace, postId } = failed(how);
      expect(workspace.retry(postId)).toMatchObject({ ok: true });
      expect(workspace.workspace.xCredits).toEqual({ available: 0, reserved: 1 });
      workspace.settle();
      workspace.succeed(postId);
      expect(workspace.workspace.xCredits).toEqual({ available: 0, reserved: 0 });
    }
  });

  it.each<[string, (workspace: Scenario, postId: string) => void, string]>([
    [
      'finds its Channel in need of a reconnect',
      (workspace, postId) => {
        const { channelId } = workspace.variant(postId);
        workspace.now += 1;
        const seenAt = workspace.now;
        workspace.tell({ type: 'MarkChannel', workspaceId: workspace.id, channelId, state: 'needs_reconnect', seenAt });
        workspace.settle();
      },
      'failed',
    ],
    ['is cancelled', (workspace, postId) => void workspace.must({ type: 'CancelPost', postId }), 'cancelled'],
    [
      'ends with its Channel',
      (workspace, postId) => {
        const { channelId } = workspace.variant(postId);
        workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
        workspace.settle();
      },
      'cancelled',
    ],
    [
      'is refused by the Network',
      (workspace, postId) => {
        workspace.settle();
        workspace.fail(postId, 1, 'rejected_by_platform');
      },
      'failed',
    ],
  ])('of an unknown outcome that %s keeps the credit: what may be live may have used it', (_, end, status) => {
    for (const how of ['failed', 'unconfirmed'] as const) {
      const { workspace, postId } = failed(how);
      workspace.retry(postId);
      end(workspace, postId);
      expect(workspace.variant(postId)).toMatchObject({ status, attempt: 2 });
      expect(workspace.workspace.xCredits).toEqual(
        how === 'unconfirmed' ? { available: 0, reserved: 1 } : { available: 1, reserved: 0 },
      );
    }
  });

  it('without a credit left is refused', () => {
    const { workspace, postId } = failed();
    workspace.post({ text: 'takes the credit' });
    expect(workspace.retry(postId)).toMatchObject({ ok: false, code: 'not_retryable' });
  });

  it('of a Variant that had twenty attempts is refused, and the Variant stays failed', () => {
    const { workspace, postId } = failed();
    for (let attempt = 2; attempt <= 20; attempt++) {
      expect(workspace.retry(postId)).toMatchObject({ ok: true });
      workspace.settle();
      workspace.fail(postId);
    }
    expect(workspace.retry(postId)).toMatchObject({
      ok: false,
      code: 'not_retryable',
      message: expect.stringMatching(/20 attempts at most.*Create the Post again/),
    });
    expect(workspace.variant(postId)).toMatchObject({ status: 'failed', attempt: 20 });
  });

  it('twice is one retry', () => {
    const { workspace, postId } = failed();
    workspace.retry(postId);
    expect(workspace.retry(postId)).toMatchObject({ ok: false, code: 'not_retryable' });
    expect(workspace.variant(postId).attempt).toBe(2);
  });

  it.each(['needs_reconnect', 'not_connected'] as const)(
    'on a Channel that is %s is refused and the Variant stays failed',
    (state) => {
      const { workspace, postId } = failed();
      const { channelId } = workspace.variant(postId);
      workspace.now += 1;
      if (state === 'not_connected') workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
      else workspace.tell({ type: 'MarkChannel', workspaceId: workspace.id, channelId, state, seenAt: workspace.now });
      expect(workspace.retry(postId)).toMatchObject({ ok: false, code: 'channel_disconnected' });
      expect(workspace.variant(postId).status).toBe('failed');
    },
  );

  it('after the Channel was disconnected and connected again publishes', () => {
    const { workspace, postId } = failed();
    const channel = workspace.workspace.channels[workspace.variant(postId).channelId]!;
    workspace.must({ type: 'DisconnectChannel', channelId: channel.id, memberId: null });
    workspace.must({
      type: 'ConnectChannel',
      channelId: channel.id,
      network: 'x',
      name: 'x',
      avatarUrl: null,
      accountId: channel.accountId,
      kind: '',
    });
    workspace.retry(postId);
    workspace.settle();
    expect(workspace.variant(postId).status).toBe('publishing');
  });

  it('needs posts:publish, and a Variant of this Workspace', () => {
    const { workspace, postId } = failed();
    const credential = { kind: 'key', keyId: workspace.key([]) } as const;
    const retry = { type: 'RetryVariant', variantId: workspace.variant(postId).id } as const;
    expect(workspace.tell({ ...retry, credential }).result).toMatchObject({ ok: false, code: 'forbidden' });
    expect(workspace.tell({ ...retry, variantId: workspace.uuid() }).result).toMatchObject({
      ok: false,
      code: 'not_found',
    });
  });
});

describe('a report', () => {
  it('of an attempt before the retry is ignored, even when the retry is publishing', () => {
    const { workspace, postId } = failed('unconfirmed');
    workspace.retry(postId);
    workspace.settle();
    const before = workspace.variant(postId);
    for (const late of [
      workspace.succeed(postId, 1, 1),
      workspace.fail(postId, 1, 'rate_limited', 1),
      workspace.unconfirm(postId, 1, 1),
    ]) {
      expect(late).toMatchObject({ effects: [], posts: [] });
    }
    expect(workspace.variant(postId)).toBe(before);
  });

  it('is delivered by webhooks with the Post as it then is', () => {
    const { workspace, postId } = failed();
    workspace.retry(postId);
    workspace.settle();
    const { effects } = workspace.succeed(postId);
    expect(effects.at(-1)).toEqual({ kind: 'outcome', post: workspace.postOf(postId), variant: 1, at: workspace.now });
  });
});
