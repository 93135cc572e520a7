import { expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { reportTurn, type CommittedTurn } from './turn-report.ts';

function told(before: WorkspaceState | null, after: WorkspaceState) {
  const reporter = createMemoryReporter();
  const pending = { rows: [], messages: [] };
  const turn = { state: after, answers: [], changedPostIds: new Set(), pending, handled: 1 };
  const about = { workspaceId: 'w', steps: [], before, decidedAt: 0, durationMs: 1 };
  reportTurn(reporter, { ...about, turn } as unknown as CommittedTurn);
  return reporter.of('channel-reconnect-changed').map(({ facts }) => [facts['channelId'], facts['change']]);
}

const withState = (state: WorkspaceState, channelId: string, to: 'connected' | 'needs_reconnect'): WorkspaceState => ({
  ...state,
  channels: { ...state.channels, [channelId]: { ...state.channels[channelId]!, state: to } },
});

test('a turn that makes a Channel need a reconnect, or no more, is reported once for each such Channel', () => {
  const scenario = aWorkspace();
  const [x, threads] = [scenario.channel('x'), scenario.channel('threads')];
  const well = scenario.workspace;
  const broken = withState(well, x, 'needs_reconnect');
  expect(told(well, broken)).toEqual([[x, 'needed']]);
  expect(told(broken, withState(broken, threads, 'needs_reconnect'))).toEqual([[threads, 'needed']]);
  expect(told(broken, withState(broken, x, 'connected'))).toEqual([[x, 'settled']]);
  expect(told(broken, { ...broken, channels: { ...broken.channels } })).toEqual([]);
  expect(told(well, well)).toEqual([]);
  expect(told(null, broken)).toEqual([[x, 'needed']]);
});
