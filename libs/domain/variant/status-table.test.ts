import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, MINUTE, START, type Scenario } from '#testing/scenario.ts';
import { VARIANT_STATUSES } from '#schemas/http/variant-words.ts';
import { type VariantStatus } from '../post/post.ts';
import { mayMove, TRANSITIONS } from './transitions.ts';

const DUE = START + DAY;

/** A Post with one X Variant, brought to each status on the way that leads there. */
const GIVEN = {
  scheduled: () => undefined,
  publishing: (workspace, postId) => workspace.due(postId),
  published: (workspace, postId) => (workspace.due(postId), workspace.succeed(postId)),
  failed: (workspace, postId) => (workspace.due(postId), workspace.fail(postId)),
  unconfirmed: (workspace, postId) => (workspace.due(postId), workspace.unconfirm(postId)),
  cancelled: (workspace, postId) => workspace.tell({ type: 'CancelPost', postId }),
} satisfies Record<string, (workspace: Scenario, postId: string) => unknown>;
type Given = keyof typeof GIVEN;

const WHEN = {
  'due now': (workspace, postId) => workspace.due(postId),
  'due at an older attempt': (workspace, postId) => workspace.due(postId, { attempt: 0 }),
  succeeded: (workspace, postId) => workspace.succeed(postId),
  failed: (workspace, postId) => workspace.fail(postId),
  unconfirmed: (workspace, postId) => workspace.unconfirm(postId),
  'succeeded at an older attempt': (workspace, postId) => workspace.succeed(postId, 1, 0),
  'cancel asked': (workspace, postId) => workspace.tell({ type: 'CancelPost', postId }),
  'retry asked': (workspace, postId) =>
    workspace.tell({ type: 'RetryVariant', variantId: workspace.variant(postId).id }),
  'Channel disconnected and swept': (workspace, postId) => {
    workspace.tell({ type: 'DisconnectChannel', channelId: workspace.variant(postId).channelId, memberId: null });
    workspace.settle();
  },
  'Channel needs reconnect': (workspace, postId) =>
    workspace.tell({
      type: 'MarkChannel',
      workspaceId: workspace.id,
      channelId: workspace.variant(postId).channelId,
      state: 'needs_reconnect',
      seenAt: workspace.now,
    }),
} satisfies Record<string, (workspace: Scenario, postId: string) => unknown>;
type When = keyof typeof WHEN;

/** Where a command leads; what is not here stays as it is. Credits: [available, reserved] of one. */
const THEN: Partial<Record<Given, Partial<Record<When, readonly [VariantStatus, readonly [number, number]]>>>> = {
  scheduled: {
    'due now': ['publishing', [0, 1]],
    'cancel asked': ['cancelled', [1, 0]],
    'Channel disconnected and swept': ['cancelled', [1, 0]],
  },
  publishing: {
    succeeded: ['published', [0, 0]],
    failed: ['failed', [1, 0]],
    unconfirmed: ['failed', [0, 1]],
  },
  failed: { 'retry asked': ['scheduled', [0, 1]] },
  unconfirmed: { 'retry asked': ['scheduled', [0, 1]], succeeded: ['published', [0, 0]] },
};

function arrange(given: Given): { workspace: Scenario; postId: string } {
  const workspace = aWorkspace({ credits: 1 });
  workspace.channel('x');
  const postId = workspace.post({ scheduledAt: DUE });
  workspace.now = DUE;
  GIVEN[given](workspace, postId);
  return { workspace, postId };
}

const cases = (Object.keys(GIVEN) as Given[]).flatMap((given) =>
  (Object.keys(WHEN) as When[]).map((when) => ({ given, when })),
);

describe('every Variant status and every command', () => {
  it.each(cases)('$given, $when', ({ given, when }) => {
    const { workspace, postId } = arrange(given);
    const before = workspace.variant(postId);
    const credits = workspace.workspace.xCredits;
    workspace.now += MINUTE;
    WHEN[when](workspace, postId);
    const after = workspace.variant(postId);
    const expected = THEN[given]?.[when];
    if (!expected) {
      expect(after).toEqual(before);
      expect(workspace.workspace.xCredits).toEqual(credits);
      return;
    }
    const [status, [available, reserved]] = expected;
    expect(after.status).toBe(status);
    expect(mayMove(before.status, status)).toBe(true);
    expect(workspace.workspace.xCredits).toEqual({ available, reserved });
  });

  it.each(cases)('$given, $when twice: the second changes no Variant and publishes nothing', ({ given, when }) => {
    const { workspace, postId } = arrange(given);
    WHEN[when](workspace, postId);
    const once = workspace.variant(postId);
    const known = workspace.effects.length;
    WHEN[when](workspace, postId);
    expect(workspace.variant(postId)).toEqual(once);
    expect(workspace.effects.slice(known)).toEqual([]);
  });
});

describe('the table of transitions', () => {
  it('lets nothing leave published and cancelled, and only the queue or a late proof follow failed', () => {
    expect(VARIANT_STATUSES.filter((status) => TRANSITIONS[status].length === 0)).toEqual(['published', 'cancelled']);
    expect(TRANSITIONS.failed).toEqual(['scheduled', 'published']);
  });
});
