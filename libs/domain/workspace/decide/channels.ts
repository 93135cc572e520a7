import { overlongPart, type Channel } from '../../channel/channel.ts';
import { nextUpkeepAt } from '../../channel/upkeep.ts';
import { liveChannels } from '../../channel/live.ts';
import { allows, planAllows } from '../../plan/upgrade.ts';
import type { ConnectChannel, DisconnectChannel, MarkChannel } from '../commands.ts';
import { disconnect } from '../disconnect.ts';
import { done, refuse, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import { planRefusal } from './post-limits.ts';

/** A reconnect keeps the Channel's place and history; Variants that its Disconnect ended stay cancelled. */
export function connectChannel({ state, now }: DecisionContext, command: ConnectChannel): DecideResult {
  const overlong = overlongPart(command);
  if (overlong !== null)
    return refuse(state, 'invalid_request', `The ${overlong} of this account is longer than can be kept.`);
  const before = state.channels[command.channelId];
  if (before && (before.network !== command.network || before.accountId !== command.accountId)) {
    return refuse(
      state,
      'invalid_request',
      `${before.name} is another account. A Channel is reconnected with its own account only.`,
    );
  }
  const live = liveChannels(state.channels);
  const twin = live.find(
    (each) => each.id !== command.channelId && each.network === command.network && each.accountId === command.accountId,
  );
  if (twin)
    return refuse(
      state,
      'invalid_request',
      `This account is connected already, as Channel ${twin.id}. Reconnect that one.`,
    );
  const added = before && before.state !== 'not_connected' ? 0 : 1;
  const amount = live.length + added;
  if (added > 0 && !allows(state.plan, 'channels', amount)) {
    return unchanged(
      state,
      planRefusal(state, 'channels', amount, `${planAllows(state.plan, 'channels')}, and they are in use.`),
    );
  }
  const channel: Channel = {
    id: command.channelId,
    network: command.network,
    name: command.name,
    avatarUrl: command.avatarUrl,
    accountId: command.accountId,
    kind: command.kind,
    state: 'connected',
    connectedAt: now,
    seenAt: now,
    disconnects: before?.disconnects ?? 0,
    lastDisconnect: before?.lastDisconnect ?? null,
  };
  const round = { workspaceId: state.id, channelId: channel.id, network: channel.network, connectedAt: now };
  const upkeep = { ...round, dueAt: nextUpkeepAt(round, now) };
  return done({ ...state, channels: { ...state.channels, [channel.id]: channel } }, [
    { kind: 'channels-changed' },
    { kind: 'upkeep-timer', upkeep },
  ]);
}

export function disconnectChannel(situation: DecisionContext, command: DisconnectChannel): DecideResult {
  const { state } = situation;
  const channel = state.channels[command.channelId];
  if (!channel) return refuse(state, 'not_found', 'There is no such Channel.');
  const by = command.memberId === null ? 'operator' : state.members[command.memberId]?.name;
  if (by === undefined) return refuse(state, 'not_found', 'There is no such Member.');
  if (channel.state === 'not_connected') return done(state);
  const ended = disconnect(situation, { channels: [channel], by, at: command.issuedAt, sweepId: command.requestId });
  return done(ended.state, ended.effects);
}

/** A report of the Network about a Connection. It does not reconnect a Channel that a person disconnected. */
export function markChannel({ state }: DecisionContext, command: MarkChannel): DecideResult {
  const channel = state.channels[command.channelId];
  if (!channel || channel.state === 'not_connected' || command.seenAt <= channel.seenAt) return unchanged(state);
  const marked: Channel = { ...channel, state: command.state, seenAt: command.seenAt };
  const next = { ...state, channels: { ...state.channels, [channel.id]: marked } };
  return { ...unchanged(next), effects: marked.state === channel.state ? [] : [{ kind: 'channels-changed' }] };
}
