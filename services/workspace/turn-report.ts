import { isRequested } from '#domain/workspace/commands.ts';
import type { TurnStep } from '#domain/workspace/turn-step.ts';
import { traceIdOf } from '#domain/traceparent.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { DecidedTurn } from './decided-turn.ts';

/** A turn that was committed, as it was carried out. */
export interface CommittedTurn {
  readonly workspaceId: string;
  /** Those that the turn was decided over; it may have carried out the first of them only. */
  readonly steps: readonly TurnStep[];
  readonly turn: DecidedTurn;
  readonly before: WorkspaceState | null;
  readonly decidedAt: number;
  readonly durationMs: number;
}

/** The traces that the turn's commands belong to, each once. */
export function tracesOf({ steps, turn }: Pick<CommittedTurn, 'steps' | 'turn'>): readonly string[] {
  const traces = steps.slice(0, turn.handled).flatMap(({ trace }) => trace ?? []);
  return traces.length < 2 ? traces : [...new Set(traces)];
}

export function reportTurn(reporter: Reporter, committed: CommittedTurn): void {
  const { workspaceId, turn, durationMs } = committed;
  const traces = tracesOf(committed);
  reporter.report('turn-committed', {
    workspaceId,
    requestIds: turn.answers.map(({ answer }) => answer.requestId),
    postIds: [...turn.changedPostIds],
    traceIds: traces.length === 0 ? undefined : traces.flatMap((trace) => traceIdOf(trace) ?? []),
    commands: turn.handled,
    rows: turn.pending.rows.length,
    messages: turn.pending.messages.length,
    durationMs,
    commandWaitsMs: waitsOf(committed),
  });
  reportReconnects(reporter, committed);
}

/** How long each command that the turn answered had been on its way, by the clock of who sent it. */
function waitsOf({ steps, turn, decidedAt }: CommittedTurn): readonly number[] {
  const answered = new Set(turn.answers.map(({ answer }) => answer.requestId));
  return steps.flatMap((step) =>
    isRequested(step) && answered.has(step.requestId) ? [decidedAt - step.issuedAt] : [],
  );
}

function reportReconnects(reporter: Reporter, { workspaceId, before, turn: { state: after } }: CommittedTurn): void {
  if (after === null || before?.channels === after.channels) return;
  for (const { id, network, state } of Object.values(after.channels)) {
    const [was, is] = [before?.channels[id]?.state === 'needs_reconnect', state === 'needs_reconnect'];
    if (was === is) continue;
    const change = is ? 'needed' : 'settled';
    reporter.report('channel-reconnect-changed', { network, change, workspaceId, channelId: id });
  }
}
