import { describe, expect, it, test } from 'vitest';
import { aWorkspace, DAY, HOUR, MINUTE, START, type Scenario } from '#testing/scenario.ts';
import type { FileFacts } from '../../media/file-facts.ts';
import type { OverdueChoice, Restoration } from '../../restoration.ts';
import type { CreatePost } from '../commands.ts';

function scheduled(workspace: Scenario, fields: Partial<CreatePost> = {}): string {
  return workspace.post({ scheduledAt: workspace.now + DAY, ...fields });
}

function replacing(workspace: Scenario, replaces: string, fields: Partial<CreatePost> = {}) {
  return workspace.tell(workspace.creating({ replaces, scheduledAt: workspace.now + 2 * DAY, ...fields }));
}

const statuses = (workspace: Scenario, postId: string) => workspace.postOf(postId).variants.map(({ status }) => status);

function upload(workspace: Scenario): string {
  const assetId = workspace.uuid();
  workspace.must({ type: 'ReserveUpload', assetId, filename: 'a.png', contentType: 'image/png', bytes: 9 });
  const facts = {
    kind: 'image',
    contentType: 'image/png',
    bytes: 9,
    sha256: 'a'.repeat(64),
    width: 4,
    height: 4,
  } as const;
  const file = { blob: `assets/${assetId}/original/1`, facts: { ...facts, durationMs: null } };
  workspace.must({ type: 'CompleteUpload', assetId, file, problem: null });
  return assetId;
}

function aWorkspaceWithX(credits = 3): Scenario {
  const workspace = aWorkspace({ plan: 'agency' });
  workspace.channel('x');
  workspace.must({ type: 'AddCredits', credits });
  return workspace;
}

describe('a Post that replaces another one', () => {
  it('is created in the same turn as the other is cancelled', () => {
    const workspace = aWorkspaceWithX();
    const before = scheduled(workspace);
    const { result, posts } = replacing(workspace, before, { text: 'Better' });
    if (result?.ok !== true || result.kind !== 'post') throw new Error(JSON.stringify(result));
    expect(posts.map(({ id }) => id)).toEqual([before, result.postId]);
    expect([statuses(workspace, before), statuses(workspace, result.postId)]).toEqual([['cancelled'], ['scheduled']]);
    const published = () => workspace.effects.filter(({ kind }) => kind === 'publish').length;
    workspace.advance(DAY);
    expect(published()).toBe(0);
    workspace.advance(DAY);
    expect(published()).toBe(1);
  });

  it('leaves nothing queued of the other, also where a Disconnect is still on its way through the Posts', () => {
    const workspace = aWorkspaceWithX();
    const gone = workspace.channel('threads');
    const before = scheduled(workspace);
    workspace.must({ type: 'DisconnectChannel', channelId: gone, memberId: null });
    const kept = workspace
      .postOf(before)
      .variants.map(({ channelId }) => channelId)
      .filter((id) => id !== gone);
    expect(replacing(workspace, before, { channelIds: kept }).result).toMatchObject({ ok: true, kind: 'post' });
    const told = workspace.postOf(before).variants.map(({ channelId, status, cancelledByDisconnect: by }) => ({
      ...{ isGone: channelId === gone, status, by },
    }));
    expect(told).toEqual([
      { isGone: false, status: 'cancelled', by: null },
      { isGone: true, status: 'cancelled', by: { by: 'operator' } },
    ]);
  });

  it('takes its files over, and they are removed neither for the old Post nor twice', () => {
    const workspace = aWorkspaceWithX();
    const assetId = upload(workspace);
    const before = scheduled(workspace, { media: [{ assetId }] });
    const { result } = replacing(workspace, before, { media: [{ assetId }] });
    expect(result).toMatchObject({ ok: true, kind: 'post' });
    expect(workspace.assets.get(assetId)).toMatchObject({
      state: 'attached',
      postId: (result as { postId: string }).postId,
    });
    workspace.advance(DAY);
    expect(workspace.effects.filter(({ kind }) => kind === 'remove-files')).toEqual([]);
  });

  it('needs neither another credit nor another place in the month', () => {
    const workspace = aWorkspaceWithX(1);
    const before = scheduled(workspace);
    const { usage, xCredits } = workspace.workspace;
    expect(replacing(workspace, before).result).toMatchObject({ ok: true, kind: 'post' });
    expect([workspace.workspace.usage, workspace.workspace.xCredits]).toEqual([usage, xCredits]);
  });

  it('leaves everything as it was when it is refused itself', () => {
    const workspace = aWorkspaceWithX();
    const before = scheduled(workspace);
    const state = workspace.state;
    const { result, posts, effects } = replacing(workspace, before, { text: '' });
    expect(result).toMatchObject({ ok: false, code: 'post_refused' });
    expect([posts, effects, workspace.state]).toEqual([[], [], state]);
    expect(statuses(workspace, before)).toEqual(['scheduled']);
  });

  it('changes nothing when it is only judged', () => {
    const workspace = aWorkspaceWithX(1);
    const before = scheduled(workspace);
    const state = workspace.state;
    const { result, posts } = replacing(workspace, before, { dryRun: true });
    expect(result).toMatchObject({ ok: true, kind: 'verdict', blockers: [] });
    expect([posts, workspace.state]).toEqual([[], state]);
  });

  it('stays as it is when its successor would be a third Post that was made minutes ago, and the answer says so', () => {
    const workspace = aWorkspaceWithX();
    const at = workspace.now + DAY;
    const third = scheduled(workspace, { scheduledAt: at });
    const before = scheduled(workspace, { scheduledAt: at + DAY });
    const state = workspace.state;
    const { result } = replacing(workspace, before, { scheduledAt: at });
    expect(result).toMatchObject({ ok: false, code: 'post_refused', blockers: [{ code: 'problem' }] });
    expect([statuses(workspace, before), statuses(workspace, third)]).toEqual([['scheduled'], ['scheduled']]);
    expect(workspace.state).toEqual(state);
  });

  it('is answered with its successor when the replacement is sent again', () => {
    const workspace = aWorkspaceWithX();
    const before = scheduled(workspace);
    const first = replacing(workspace, before).result;
    expect(replacing(workspace, before).result).toEqual({ ...first, replayed: true });
  });

  it('comes back to the first time with another replacement, also within ten minutes', () => {
    const workspace = aWorkspaceWithX();
    const at = workspace.now + DAY;
    const first = scheduled(workspace, { scheduledAt: at });
    workspace.now += MINUTE;
    const moved = (replacing(workspace, first).result as { postId: string }).postId;
    workspace.now += MINUTE;
    const back = replacing(workspace, moved, { scheduledAt: at }).result as { postId: string; replayed: boolean };
    expect(back).toMatchObject({ ok: true, replayed: false });
    expect(workspace.postOf(back.postId).scheduledAt).toBe(at);
    expect([statuses(workspace, first), statuses(workspace, moved)]).toEqual([['cancelled'], ['cancelled']]);
  });
});

describe('after a Downgrade to a Plan with fewer Posts than were made this month', () => {
  function downgraded(effectiveAt: number | null): { workspace: Scenario; postId: string } {
    const workspace = aWorkspace({ plan: 'pro' });
    workspace.channel('threads');
    const posts = Array.from({ length: 61 }, (_, index) => scheduled(workspace, { text: `${index}` }));
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt });
    return { workspace, postId: posts[0]! };
  }

  it('a Post is still put right, as that takes no place in the month', () => {
    const { workspace, postId } = downgraded(null);
    expect(replacing(workspace, postId, { text: 'Without the typo' }).result).toMatchObject({ ok: true, kind: 'post' });
    expect(workspace.tell(workspace.creating({ text: 'One more' })).result).toMatchObject({ code: 'plan_limit' });
  });

  it('that is to come, a Post is moved up to it and not behind it', () => {
    const { workspace, postId } = downgraded(START + 3 * DAY);
    const later = replacing(workspace, postId, { scheduledAt: START + 4 * DAY });
    expect(later.result).toMatchObject({ ok: false, code: 'plan_limit' });
    expect(replacing(workspace, postId).result).toMatchObject({ ok: true, kind: 'post' });
  });
});

test.each<[string, (workspace: Scenario, postId: string) => void]>([
  ['is being published', (workspace) => workspace.advance(DAY)],
  ['is live', (workspace, postId) => (workspace.advance(DAY), void workspace.succeed(postId))],
  ['was cancelled', (workspace, postId) => void workspace.must({ type: 'CancelPost', postId })],
])('a Post that %s is not replaced', (_, happen) => {
  const workspace = aWorkspaceWithX();
  const before = scheduled(workspace);
  happen(workspace, before);
  const state = workspace.state;
  expect(replacing(workspace, before).result).toMatchObject({ ok: false, code: 'not_cancellable' });
  expect(workspace.state).toEqual(state);
});

test('a Post of another Workspace is not there to be replaced', () => {
  const workspace = aWorkspaceWithX();
  expect(replacing(workspace, workspace.uuid()).result).toMatchObject({ ok: false, code: 'not_found' });
});

test('a file of a third Post is not taken over', () => {
  const workspace = aWorkspaceWithX();
  const assetId = upload(workspace);
  scheduled(workspace, { media: [{ assetId }] });
  const { result } = replacing(workspace, scheduled(workspace, { text: 'Other' }), { media: [{ assetId }] });
  expect(result).toMatchObject({ ok: false, code: 'media_unavailable' });
});

test('a Post that may be live since an attempt of unknown outcome is not replaced while its retry waits', () => {
  const workspace = aWorkspaceWithX();
  const before = scheduled(workspace);
  workspace.advance(DAY);
  workspace.unconfirm(before);
  workspace.retry(before);
  const state = workspace.state;
  expect(replacing(workspace, before).result).toMatchObject({ ok: false, code: 'not_cancellable' });
  expect([statuses(workspace, before), workspace.state]).toEqual([['scheduled'], state]);
});

describe('after a restore', () => {
  const RELEASED = START + DAY;
  const restoration = { backupAt: START + HOUR, restoredAt: START + 20 * HOUR, released: null };
  const by = (overdue: OverdueChoice): Restoration => ({
    ...restoration,
    released: { overdue, at: RELEASED, by: 'operator' },
  });
  const seen = (workspace: Scenario, postId: string) => {
    const { result } = replacing(workspace, postId, { scheduledAt: START + 3 * DAY });
    return result?.ok === false ? result.code : statuses(workspace, postId).join();
  };

  test.each<[string, string, number, number, Restoration]>([
    ['due since, while all is held', 'not_cancellable', 2 * HOUR, 21 * HOUR, restoration],
    ['due in days, while all is held', 'cancelled', 2 * DAY, 21 * HOUR, restoration],
    ['due before the release, released by asking', 'not_cancellable', 2 * HOUR, DAY + MINUTE, by('ask')],
    ['due before the release, released by failing', 'not_cancellable', 2 * HOUR, DAY + MINUTE, by('fail')],
    ['due before the release, released by publishing', 'cancelled', 2 * HOUR, DAY + MINUTE, by('publish')],
    ['due just after the release, by a clock that led', 'not_cancellable', DAY + 30_000, DAY + 1_000, by('ask')],
    ['due after the release', 'cancelled', DAY + 2 * HOUR, DAY + MINUTE, by('ask')],
  ])('a Post that the copy has from the backup, %s: %s', (_when, outcome, dueMs, nowMs, known) => {
    const workspace = aWorkspaceWithX();
    const postId = scheduled(workspace, { scheduledAt: START + dueMs });
    workspace.restoration = known;
    workspace.now = START + nowMs;
    expect(seen(workspace, postId)).toBe(outcome);
  });

  test('a Post that may be live stays as it is, the words say what to do, and it can be cancelled', () => {
    const workspace = aWorkspaceWithX();
    const postId = scheduled(workspace, { scheduledAt: START + 2 * HOUR });
    workspace.restoration = restoration;
    workspace.now = START + 21 * HOUR;
    const state = workspace.state;
    const { result } = replacing(workspace, postId, { scheduledAt: START + 3 * DAY });
    expect(result).toMatchObject({ message: expect.stringMatching(/restored from a backup.*Look at the Network/) });
    expect(workspace.state).toEqual(state);
    workspace.must({ type: 'CancelPost', postId });
    expect(statuses(workspace, postId)).toEqual(['cancelled']);
  });

  test('a Post that was made since is replaced, also where it was due before the release', () => {
    const workspace = aWorkspaceWithX();
    workspace.now = START + 20 * HOUR;
    const postId = scheduled(workspace, { scheduledAt: START + 21 * HOUR });
    workspace.restoration = by('ask');
    workspace.now = RELEASED;
    expect(seen(workspace, postId)).toBe('cancelled');
  });

  test('a Post that was due first before the release is not replaced while its retry waits', () => {
    const workspace = aWorkspaceWithX();
    const postId = scheduled(workspace, { scheduledAt: START + 2 * HOUR });
    workspace.now = START + 2 * HOUR;
    workspace.due(postId);
    workspace.fail(postId, 1, 'needs_reconnect');
    workspace.restoration = by('ask');
    workspace.now = RELEASED + 2 * DAY;
    workspace.retry(postId);
    expect(seen(workspace, postId)).toBe('not_cancellable');
  });
});

test('a Post that keeps a fetched file of an address needs no storage for it again', () => {
  const workspace = aWorkspaceWithX();
  const bytes = 600 * 1024 ** 2;
  const assetId = workspace.uuid();
  const inspected = { assetId, contentType: 'video/mp4', bytes, problem: null } as const;
  const before = scheduled(workspace, { media: [{ url: 'https://files.test/a.mp4', inspected }] });
  const facts = { kind: 'video', contentType: 'video/mp4', bytes, sha256: 'a', width: 4, height: 4, durationMs: 9 };
  const fetched = { postId: before, assetId, facts: facts as FileFacts, blob: 'a blob' };
  workspace.tell({ type: 'FileFetched', workspaceId: workspace.id, ...fetched });
  workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: null });
  expect(replacing(workspace, before, { media: [{ assetId }] }).result).toMatchObject({ ok: true, kind: 'post' });
  expect(workspace.workspace.storage.bytes).toBe(bytes);
});
