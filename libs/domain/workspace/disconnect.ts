import assert from 'node:assert/strict';
import type { Channel } from '../channel/channel.ts';
import { weekOf } from '../calendar.ts';
import type { ContinueSweep } from './commands.ts';
import type { Effect } from './effects.ts';
import type { DecisionContext } from './decision-context.ts';
import type { Sweep, WorkspaceState } from './state.ts';

export interface Disconnect {
  readonly channels: readonly Channel[];
  /** Who, as it is shown; null: a Downgrade. */
  readonly by: string | null;
  readonly at: number;
  readonly sweepId: string;
}

export interface DisconnectResult {
  readonly state: WorkspaceState;
  readonly effects: readonly Effect[];
}

export function sweepStep(workspaceId: string, sweep: Sweep): ContinueSweep {
  return { type: 'ContinueSweep', workspaceId, sweepId: sweep.id, ...sweep.next };
}

/**
 * Disconnects Channels at once: from here on no Variant that was queued for them publishes. The sweep that starts
 * with it cancels their rows, beginning at the oldest week whose Variants can still come due.
 */
export function disconnect({ state, now, rules }: DecisionContext, order: Disconnect): DisconnectResult {
  assert(
    order.channels.every((channel) => channel.state !== 'not_connected'),
    'a disconnected Channel is disconnected again',
  );
  const channels = { ...state.channels };
  const effects: Effect[] = [];
  for (const { picture, connectionId = null, ...channel } of order.channels) {
    const lastDisconnect = { at: order.at, by: order.by };
    effects.push({ kind: 'end-connection', channelId: channel.id, network: channel.network, connectionId });
    if (picture !== undefined) effects.push({ kind: 'remove-picture', channelId: channel.id, blob: picture.blob });
    channels[channel.id] = {
      ...channel,
      avatarUrl: null,
      state: 'not_connected',
      seenAt: now,
      disconnects: channel.disconnects + 1,
      lastDisconnect,
    };
  }
  const next = { dueWeek: weekOf(now - rules.missedWindowMs), afterPostId: null };
  const sweep: Sweep = { id: order.sweepId, channelIds: order.channels.map(({ id }) => id), next };
  return {
    state: { ...state, channels, sweeps: [...state.sweeps, sweep] },
    effects: [{ kind: 'channels-changed' }, ...effects, { kind: 'command', command: sweepStep(state.id, sweep) }],
  };
}
