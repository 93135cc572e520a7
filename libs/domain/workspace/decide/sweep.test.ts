import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, START, type Scenario } from '#testing/scenario.ts';
import type { ContinueSweep } from '../commands.ts';

const WEEK = 7 * DAY;

/** Posts in several weeks, some on two Channels, of which the first is disconnected. */
function disconnected(perWeek: number): { workspace: Scenario; gone: string; kept: string; posts: string[] } {
  const workspace = aWorkspace({ plan: 'agency', credits: 1_000 });
  const [gone, kept] = [workspace.channel('x'), workspace.channel('threads')];
  const posts = [1, 2, 30].flatMap((week) =>
    Array.from({ length: perWeek }, (_, index) =>
      workspace.post({ text: `${week}/${index}`, scheduledAt: START + week * WEEK }),
    ),
  );
  workspace.must({ type: 'DisconnectChannel', channelId: gone, memberId: null });
  return { workspace, gone, kept, posts };
}

describe('a sweep', () => {
  it('cancels every queued Variant of its Channels in every week, and nothing else', () => {
    const { workspace, gone, posts } = disconnected(130);
    workspace.settle();
    for (const postId of posts) {
      const [swept, other] = workspace.postOf(postId).variants;
      expect(swept).toMatchObject({ channelId: gone, status: 'cancelled', cancelledByDisconnect: { by: 'operator' } });
      expect(other).toMatchObject({ status: 'scheduled' });
    }
    expect(workspace.workspace.sweeps).toEqual([]);
    expect(workspace.workspace.xCredits).toEqual({ available: 1_000, reserved: 0 });
  });

  it('touches at most 100 Posts a step', () => {
    const { workspace } = disconnected(130);
    const sizes: number[] = [];
    for (let command = workspace.own.shift(); command; command = workspace.own.shift())
      sizes.push(workspace.tell(command).posts.length);
    expect(Math.max(...sizes)).toBe(100);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(390);
  });

  it('stops in the middle of a week when its Posts have many Variants', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    const channels = Array.from({ length: 31 }, () => workspace.channel('threads'));
    const posts = Array.from({ length: 10 }, (_, index) =>
      workspace.post({ text: `${index}`, scheduledAt: START + WEEK }),
    );
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: null });
    const sizes: number[] = [];
    for (let command = workspace.own.shift(); command; command = workspace.own.shift())
      sizes.push(workspace.tell(command).posts.length);
    expect(Math.max(...sizes)).toBeLessThan(10);
    const left = posts
      .flatMap((postId) => workspace.postOf(postId).variants)
      .filter(({ status }) => status === 'scheduled');
    expect(new Set(left.map(({ channelId }) => channelId))).toEqual(new Set(channels.slice(0, 6)));
    expect(workspace.workspace.sweeps).toEqual([]);
  });

  it('walks once however often a step of it is repeated', () => {
    const { workspace } = disconnected(130);
    let steps = 0;
    for (let command = workspace.own.shift(); command; command = workspace.own.shift()) {
      workspace.tell(command);
      steps += 1;
      const state = workspace.state;
      expect(workspace.tell(command)).toMatchObject({ effects: [], posts: [] });
      expect(workspace.state).toBe(state);
    }
    expect(steps).toBeLessThan(12);
  });

  it('that is over or was never begun is ignored', () => {
    const { workspace } = disconnected(1);
    const step = workspace.own[0] as ContinueSweep;
    workspace.settle();
    for (const sweepId of [step.sweepId, 'never']) expect(workspace.tell({ ...step, sweepId }).effects).toEqual([]);
  });

  it('passes by Posts that changed meanwhile', () => {
    const { workspace, gone, posts } = disconnected(2);
    workspace.must({ type: 'CancelPost', postId: posts[0]! });
    workspace.now = START + WEEK;
    workspace.due(posts[1]!);
    workspace.settle();
    expect(workspace.postOf(posts[0]!).variants.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(workspace.postOf(posts[1]!).variants.map(({ channelId, status }) => [channelId === gone, status])).toEqual([
      [true, 'cancelled'],
      [false, 'publishing'],
    ]);
  });
});
