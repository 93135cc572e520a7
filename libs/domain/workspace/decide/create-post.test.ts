import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, MINUTE, RULES, START, type Scenario } from '#testing/scenario.ts';
import type { CreatePost } from '../commands.ts';
import type { Effect } from '../effects.ts';

const LATER = START + DAY;

function codeOf(workspace: Scenario, command: CreatePost): string {
  const before = workspace.state;
  const { result, effects, posts } = workspace.tell(command);
  if (result?.ok !== false) return 'ok';
  expect(workspace.state).toBe(before);
  expect([...effects, ...posts]).toEqual([]);
  return result.code;
}

function messagesOf(workspace: Scenario, fields: Partial<CreatePost>): string[] {
  const { result } = workspace.tell(workspace.creating(fields));
  return result?.ok === false ? (result.blockers ?? []).map(({ code, message }) => `${code}: ${message}`) : [];
}

const kinds = (effects: readonly Effect[]): string[] => effects.map(({ kind }) => kind);

describe('what a Post becomes', () => {
  it('immediate: every Variant is publishing at once, and has its job', () => {
    const workspace = aWorkspace();
    const [x, threads] = [workspace.channel('x'), workspace.channel('threads')];
    const { effects, result } = workspace.tell(workspace.creating());
    expect(result).toMatchObject({ ok: true, kind: 'post', replayed: false });
    expect(kinds(effects)).toEqual(['post-created', 'publish', 'publish']);
    const post = [...workspace.posts.values()][0]!;
    expect(post).toMatchObject({ createdAt: START, scheduledAt: null, via: null });
    expect(
      post.variants.map(({ channelId, status, dueAt, attempt }) => ({ channelId, status, dueAt, attempt })),
    ).toEqual([
      { channelId: x, status: 'publishing', dueAt: START, attempt: 1 },
      { channelId: threads, status: 'publishing', dueAt: START, attempt: 1 },
    ]);
    expect(effects[1]).toMatchObject({
      job: { variantId: post.variants[0]!.id, latestStart: START + RULES.missedWindowMs, reconcileFirst: false },
    });
    expect(workspace.workspace.xCredits).toEqual({ available: 9, reserved: 1 });
  });

  it('scheduled: one timer for all of its Variants, and no job yet', () => {
    const workspace = aWorkspace();
    workspace.channel('x');
    workspace.channel('threads');
    const { effects } = workspace.tell(workspace.creating({ scheduledAt: LATER }));
    const post = [...workspace.posts.values()][0]!;
    expect(effects).toEqual([
      { kind: 'post-created', post },
      {
        kind: 'due-timer',
        timerId: `due/${post.id}/1`,
        at: LATER,
        due: { postId: post.id, attempt: 1, variants: [1, 2] },
      },
    ]);
  });

  it('carries the key and the Member that made it', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = workspace.post({ credential: { kind: 'key', keyId: workspace.key() } });
    expect(workspace.postOf(postId).via).toEqual({ kind: 'key', name: 'a key', by: 'Ada' });
  });
});

describe('who may', () => {
  const by = (workspace: Scenario, keyId: string, fields: Partial<CreatePost> = {}) =>
    workspace.creating({ credential: { kind: 'key', keyId }, ...fields });

  it('a key without posts:publish schedules but does not publish now', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const keyId = workspace.key([]);
    expect(codeOf(workspace, by(workspace, keyId))).toBe('forbidden');
    expect(codeOf(workspace, by(workspace, keyId, { scheduledAt: LATER }))).toBe('ok');
  });

  it('a revoked key, a removed Member and an unknown key change nothing', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const [revoked, orphaned] = [workspace.key(), workspace.key()];
    workspace.must({ type: 'RevokeKey', keyId: revoked });
    expect(codeOf(workspace, by(workspace, revoked))).toBe('unauthorized');
    workspace.must({ type: 'RemoveMember', memberId: Object.keys(workspace.workspace.members)[0]! });
    expect(codeOf(workspace, by(workspace, orphaned))).toBe('unauthorized');
    expect(codeOf(workspace, by(workspace, workspace.uuid()))).toBe('unauthorized');
  });

  it('a Member has to verify the e-mail first; an operator has none to verify', () => {
    const workspace = aWorkspace({ emailVerified: false });
    workspace.channel('threads');
    const keyId = workspace.key();
    expect(codeOf(workspace, by(workspace, keyId))).toBe('email_not_verified');
    workspace.must({ type: 'VerifyEmail', memberId: Object.keys(workspace.workspace.members)[0]! });
    expect(codeOf(workspace, by(workspace, keyId))).toBe('ok');
    const unverified = aWorkspace({ emailVerified: false });
    unverified.channel('threads');
    expect(codeOf(unverified, unverified.creating())).toBe('ok');
  });
});

describe('when', () => {
  it.each([
    ['a key one millisecond short of 15 minutes', true, 15 * MINUTE - 1, 'too_early'],
    ['a key 15 minutes ahead', true, 15 * MINUTE, 'ok'],
    ['an operator in the past', false, -1, 'ok'],
    ['anybody at the latest time', true, RULES.latestScheduleMs, 'ok'],
    ['anybody past the latest time', false, RULES.latestScheduleMs + 1, 'too_late'],
  ])('%s: judged by the stamp of the command, not by the clock of the owner', (_, withKey, aheadMs, code) => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const credential = withKey ? ({ kind: 'key', keyId: workspace.key() } as const) : null;
    const command = workspace.creating({ credential, scheduledAt: START + aheadMs });
    workspace.now += 30_000;
    expect(codeOf(workspace, command)).toBe(code);
  });
});

describe('a time that is over', () => {
  it.each([
    ['a minute', -MINUTE, 'ok'],
    ['longer', -MINUTE - 1, 'too_early'],
  ])('for %s is taken from a Member, who may just have been slow, and no longer one', (_, aheadMs, code) => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const credential = { kind: 'member', memberId: Object.keys(workspace.workspace.members)[0]! } as const;
    expect(codeOf(workspace, workspace.creating({ credential, scheduledAt: START + aheadMs }))).toBe(code);
  });
});

describe('blockers', () => {
  it('name every Channel that something stands against, not only the first', () => {
    const workspace = aWorkspace({ credits: 0 });
    const [x, stale, gone, youtube, fine] = [
      workspace.channel('x'),
      workspace.channel('threads', 'stale'),
      workspace.channel('threads', 'gone'),
      workspace.channel('youtube'),
      workspace.channel('threads'),
    ];
    const unknown = workspace.uuid();
    workspace.tell({
      type: 'MarkChannel',
      workspaceId: workspace.id,
      channelId: stale,
      state: 'needs_reconnect',
      seenAt: workspace.now + 1,
    });
    workspace.must({ type: 'DisconnectChannel', channelId: gone, memberId: null });
    const { result } = workspace.tell(
      workspace.creating({ text: 'bad', channelIds: [x, stale, gone, youtube, unknown, fine] }),
    );
    expect(result).toMatchObject({ ok: false, code: 'post_refused' });
    const blockers = result?.ok === false ? result.blockers! : [];
    expect(blockers.map(({ channelId }) => channelId)).toEqual([x, x, stale, gone, youtube, unknown, fine]);
    expect(new Set(blockers.map(({ code }) => code))).toEqual(new Set(['problem']));
    const paths = ['text', 'channelIds.0', 'channelIds.1', 'channelIds.2', 'text', 'channelIds.4', 'text'];
    expect(blockers.map(({ path }) => path)).toEqual(paths);
    expect(blockers[1]!.message).toContain('1 X Post credit and 0 are left');
  });

  it('a Post of nothing is incomplete on every Channel', () => {
    const workspace = aWorkspace();
    workspace.channel('x');
    workspace.channel('threads');
    expect(messagesOf(workspace, { text: ' \n' })).toEqual([
      'incomplete: Add a text or a file.',
      'incomplete: Add a text or a file.',
    ]);
  });

  it.each([
    ['threads', 'story', 'Hello', ['problem: Stories exist on a Facebook Page or an Instagram account only.']],
    ['threads', 'feed_and_story', 'Hello', ['problem: Stories exist on a Facebook Page or an Instagram account only.']],
    [
      'facebook',
      'story',
      'Hello',
      [
        'problem: A Story carries no text. Leave the text out, or choose feed_and_story.',
        'incomplete: A Story needs exactly one image or video.',
      ],
    ],
    ['facebook', 'story', '', ['incomplete: A Story needs exactly one image or video.']],
    ['facebook', 'feed_and_story', 'Hello', ['incomplete: A Story needs exactly one image or video.']],
  ] as const)('%s as %s with the text "%s"', (network, placement, text, messages) => {
    const workspace = aWorkspace();
    const id = workspace.channel(network);
    expect(messagesOf(workspace, { text, channelOptions: { [id]: { placement } } })).toEqual(messages);
  });

  it('the credits must cover every X Variant of the Post', () => {
    const workspace = aWorkspace({ credits: 1 });
    workspace.channel('x');
    workspace.channel('x');
    expect(messagesOf(workspace, {})).toHaveLength(2);
    expect(workspace.workspace.xCredits).toEqual({ available: 1, reserved: 0 });
  });

  it.each([[0], [101]])('%i Channels are no Post', (count) => {
    const workspace = aWorkspace();
    const channelIds = Array.from({ length: count }, () => workspace.uuid());
    expect(codeOf(workspace, workspace.creating({ channelIds }))).toBe('invalid_request');
  });

  it('the same Channel twice is no Post', () => {
    const workspace = aWorkspace();
    const id = workspace.channel('threads');
    expect(codeOf(workspace, workspace.creating({ channelIds: [id, id] }))).toBe('invalid_request');
  });
});

describe('a dry run', () => {
  it('gathers what would refuse the whole Post beside the blockers, and changes nothing', () => {
    const workspace = aWorkspace({ plan: 'free', credits: 0 });
    const x = workspace.channel('x');
    const threads = workspace.channel('threads');
    const credential = { kind: 'key', keyId: workspace.key([]) } as const;
    for (let count = 0; count < 60; count++) workspace.post({ text: `${count}`, channelIds: [threads] });
    const before = workspace.state;
    const { result, effects } = workspace.tell(
      workspace.creating({ credential, scheduledAt: START + MINUTE, dryRun: true, channelIds: [x] }),
    );
    expect(result).toMatchObject({
      ok: true,
      kind: 'verdict',
      upgrade: { plan: 'pro', limit: 'postsPerMonth', label: 'Pro: 2,000 Posts a month' },
    });
    const blockers = result?.ok && result.kind === 'verdict' ? result.blockers : [];
    expect(blockers.map(({ channelId, path }) => [channelId, path])).toEqual([
      [undefined, 'scheduledAt'],
      // A Plan's limit is put right nowhere in the request.
      [undefined, undefined],
      [x, 'channelIds.0'],
    ]);
    expect(workspace.state).toBe(before);
    expect(effects).toEqual([]);
  });

  it('of a Post that may be made finds nothing, even where the same Post was just made, and takes no place of it', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const verdict = { ok: true, kind: 'verdict', blockers: [], upgrade: null };
    expect(workspace.tell(workspace.creating({ dryRun: true })).result).toEqual(verdict);
    workspace.post();
    expect(workspace.posts.size).toBe(1);
    expect(workspace.tell(workspace.creating({ dryRun: true, idempotencyKey: 'k' })).result).toEqual(verdict);
  });
});

describe('the order of judging', () => {
  it('time comes before the Plan, the Plan before blockers, the same Post before all of them', () => {
    const workspace = aWorkspace({ plan: 'free' });
    const threads = workspace.channel('threads');
    const credential = { kind: 'key', keyId: workspace.key() } as const;
    for (let count = 0; count < 59; count++) workspace.post({ text: `${count}` });
    const first = workspace.post({ credential, scheduledAt: workspace.now + 16 * MINUTE });
    workspace.now += 2 * MINUTE;
    const again = workspace.creating({ credential, scheduledAt: START + 16 * MINUTE });
    expect(codeOf(workspace, { ...again, digest: 'other', text: 'bad' })).toBe('too_early');
    expect(codeOf(workspace, workspace.creating({ credential, text: 'bad' }))).toBe('plan_limit');
    workspace.must({ type: 'DisconnectChannel', channelId: workspace.channel('x'), memberId: null });
    workspace.tell({
      type: 'MarkChannel',
      workspaceId: workspace.id,
      channelId: threads,
      state: 'needs_reconnect',
      seenAt: workspace.now,
    });
    expect(workspace.tell(again).result).toEqual({ ok: true, kind: 'post', postId: first, replayed: true });
  });
});
