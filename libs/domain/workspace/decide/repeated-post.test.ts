import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, MINUTE, START, type Scenario } from '#testing/scenario.ts';
import type { CreatePost } from '../commands.ts';

function workspaceWithChannel(): Scenario {
  const workspace = aWorkspace();
  workspace.channel('threads');
  workspace.channel('threads', 'second');
  return workspace;
}

function outcome(workspace: Scenario, fields: Partial<CreatePost>): { postId: string; replayed: boolean } {
  const result = workspace.must(workspace.creating(fields));
  if (result.kind !== 'post') throw new Error(result.kind);
  return result;
}

const SOON = START + DAY;

describe('the same Post within 10 minutes', () => {
  it('is the first one, is not counted again, and is another one from the tenth minute on', () => {
    const workspace = workspaceWithChannel();
    const first = workspace.post();
    const used = workspace.workspace.usage;
    workspace.now += 10 * MINUTE - 1;
    const channelIds = workspace
      .postOf(first)
      .variants.map(({ channelId }) => channelId)
      .toReversed();
    expect(outcome(workspace, { channelIds })).toMatchObject({ postId: first, replayed: true });
    expect(workspace.workspace.usage).toBe(used);
    workspace.now += 1;
    expect(outcome(workspace, {})).toMatchObject({ replayed: false });
  });

  it('is the first one though that was issued later, and another one where a clock led by days when it was made', () => {
    const workspace = workspaceWithChannel();
    workspace.now += DAY;
    const ahead = workspace.post();
    workspace.now -= 10 * MINUTE - 1;
    expect(outcome(workspace, {})).toMatchObject({ postId: ahead, replayed: true });
    workspace.now = START;
    const { postId, replayed } = outcome(workspace, {});
    expect([replayed, postId === ahead]).toEqual([false, false]);
    workspace.now += MINUTE;
    expect(outcome(workspace, {})).toMatchObject({ postId, replayed: true });
  });

  it.each<[string, Partial<CreatePost>]>([
    ['text', { text: 'Hello!' }],
    ['instant', { scheduledAt: SOON + 1 }],
    ['no instant', { scheduledAt: null }],
  ])('another %s is another Post', (_, fields) => {
    const workspace = workspaceWithChannel();
    workspace.post({ scheduledAt: SOON });
    expect(outcome(workspace, { scheduledAt: SOON, ...fields })).toMatchObject({ replayed: false });
  });

  it('a refused Post never counts', () => {
    const workspace = aWorkspace({ credits: 0 });
    workspace.channel('x');
    expect(workspace.tell(workspace.creating()).result).toMatchObject({ ok: false, code: 'post_refused' });
    workspace.must({ type: 'AddCredits', credits: 1 });
    expect(outcome(workspace, {})).toMatchObject({ replayed: false });
  });

  it('a first Post that was cancelled whole does not count', () => {
    const workspace = workspaceWithChannel();
    const first = workspace.post({ scheduledAt: SOON });
    workspace.must({ type: 'CancelPost', postId: first });
    expect(outcome(workspace, { scheduledAt: SOON })).toMatchObject({
      replayed: false,
      postId: expect.not.stringMatching(first),
    });
  });

  it('a first Post of which something was published counts, though the rest was cancelled', () => {
    const workspace = workspaceWithChannel();
    const scheduledAt = START + MINUTE;
    const first = workspace.post({ scheduledAt });
    workspace.now = scheduledAt;
    workspace.due(first, { variants: [1] });
    workspace.must({ type: 'CancelPost', postId: first });
    expect(workspace.postOf(first).variants.map(({ status }) => status)).toEqual(['publishing', 'cancelled']);
    expect(outcome(workspace, { scheduledAt })).toMatchObject({ postId: first, replayed: true });
  });

  it('a create stamped before the first Post was cancelled gets the cancelled one: its sender had given it up', () => {
    const workspace = workspaceWithChannel();
    const first = workspace.post({ scheduledAt: SOON });
    workspace.now += MINUTE;
    const late = workspace.creating({ scheduledAt: SOON });
    workspace.now += 1;
    workspace.must({ type: 'CancelPost', postId: first });
    const afterwards = workspace.creating({ scheduledAt: SOON });
    expect(workspace.must(late)).toMatchObject({ postId: first, replayed: true });
    expect(workspace.must(afterwards)).toMatchObject({ postId: afterwards.postId, replayed: false });
    expect(workspace.must(workspace.creating({ scheduledAt: SOON }))).toMatchObject({
      postId: afterwards.postId,
      replayed: true,
    });
  });

  it('a Post whose Channels were all disconnected counts as cancelled before the sweep has come to it', () => {
    const workspace = workspaceWithChannel();
    const [one, two] = Object.keys(workspace.workspace.channels) as [string, string];
    workspace.post({ scheduledAt: SOON });
    workspace.now += 1;
    for (const channelId of [one, two]) workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
    const again = workspace.tell(workspace.creating({ channelIds: [one, two], scheduledAt: SOON })).result;
    expect(again).toMatchObject({ ok: false, code: 'post_refused' });
  });
});

describe('an Idempotency-Key', () => {
  it('gives the first Post for 24 hours, a cancelled one too', () => {
    const workspace = workspaceWithChannel();
    const fields = { idempotencyKey: 'k', scheduledAt: START + 3 * DAY };
    const first = outcome(workspace, fields);
    workspace.must({ type: 'CancelPost', postId: first.postId });
    workspace.now += DAY - 1;
    expect(outcome(workspace, fields)).toMatchObject({ postId: first.postId, replayed: true });
    workspace.now += 1;
    expect(outcome(workspace, fields)).toMatchObject({ replayed: false });
  });

  it('with another body is refused, and says so', () => {
    const workspace = workspaceWithChannel();
    workspace.post({ idempotencyKey: 'k' });
    expect(workspace.tell(workspace.creating({ idempotencyKey: 'k', text: 'other' })).result).toMatchObject({
      ok: false,
      code: 'idempotency_key_reused',
    });
  });

  it('is not kept by a refusal', () => {
    const workspace = workspaceWithChannel();
    workspace.tell(workspace.creating({ idempotencyKey: 'k', text: 'bad' }));
    expect(outcome(workspace, { idempotencyKey: 'k' })).toMatchObject({ replayed: false });
  });

  it('sent with a Post that exists already stays with it beyond the 10 minutes', () => {
    const workspace = workspaceWithChannel();
    const first = workspace.post();
    expect(outcome(workspace, { idempotencyKey: 'k' })).toMatchObject({ postId: first, replayed: true });
    workspace.now += 11 * MINUTE;
    expect(outcome(workspace, { idempotencyKey: 'k' })).toMatchObject({ postId: first, replayed: true });
  });
});
