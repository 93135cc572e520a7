import { overlongPart, type Channel } from '../../channel/channel.ts';
import { nextUpkeepAt } from '../../channel/upkeep.ts';
import { liveChannels } from '../../channel/live.ts';
import { allows, planAllows } from '../../plan/upgrade.ts';
import { misfit } from '../../channel/channel-defaults.ts';
import type {
  ConnectChannel,
  DisconnectChannel,
  EraseAccount,
  MarkChannel,
  PictureCopied,
  SetChannelDefaults,
} from '../commands.ts';
import { CLOCK_SKEW_MS } from '../clock-skew.ts';
import { disconnect } from '../disconnect.ts';
import { shownNameOf } from '../shown-name.ts';
import { done, refuse, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import { planRefusal } from './post-limits.ts';

/** They stand in the Workspace's state, with those of all its other Channels. */
const MAX_DEFAULTS_CHARACTERS = 4_000;

/** The id of no account. */
const ERASED = '';

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
    avatarUrl: before?.avatarUrl ?? null,
    ...(before?.picture && { picture: before.picture }),
    ...(command.connectionId !== undefined && { connectionId: command.connectionId }),
    accountId: command.accountId,
    kind: command.kind,
    state: 'connected',
    connectedAt: now,
    seenAt: now,
    disconnects: before?.disconnects ?? 0,
    lastDisconnect: before?.lastDisconnect ?? null,
    ...defaultsOf(before, command),
  };
  const round = { workspaceId: state.id, channelId: channel.id, network: channel.network, connectedAt: now };
  const upkeep = { ...round, dueAt: nextUpkeepAt(round, now) };
  return done({ ...state, channels: { ...state.channels, [channel.id]: channel } }, [
    { kind: 'channels-changed' },
    { kind: 'upkeep-timer', upkeep },
    ...(command.avatarUrl === null
      ? []
      : [
          {
            kind: 'copy-picture',
            channelId: channel.id,
            connectedAt: now,
            askedAt: now,
            url: command.avatarUrl,
          } as const,
        ]),
  ]);
}

function defaultsOf(before: Channel | undefined, command: ConnectChannel): Pick<Channel, 'defaults'> {
  const defaults = before === undefined ? command.defaults : before.defaults;
  return defaults === undefined ? {} : { defaults };
}

/** Posts that exist keep the options that they were created with. */
export function setChannelDefaults({ state }: DecisionContext, command: SetChannelDefaults): DecideResult {
  const channel = state.channels[command.channelId];
  if (!channel || channel.state === 'not_connected') return refuse(state, 'not_found', 'There is no such Channel.');
  const wrong = misfit(channel, command.defaults);
  if (wrong !== null) return refuse(state, 'invalid_request', wrong.message);
  if (JSON.stringify(command.defaults).length > MAX_DEFAULTS_CHARACTERS)
    return refuse(
      state,
      'too_large',
      `The defaults of a Channel take at most ${MAX_DEFAULTS_CHARACTERS} characters, written as JSON.`,
    );
  const changed: Channel = { ...channel, defaults: command.defaults };
  return done({ ...state, channels: { ...state.channels, [channel.id]: changed } }, [{ kind: 'channels-changed' }]);
}

export function disconnectChannel(situation: DecisionContext, command: DisconnectChannel): DecideResult {
  const { state } = situation;
  const channel = state.channels[command.channelId];
  if (!channel) return refuse(state, 'not_found', 'There is no such Channel.');
  const member = command.memberId === null ? null : state.members[command.memberId];
  if (member === undefined) return refuse(state, 'not_found', 'There is no such Member.');
  const by = member === null ? 'operator' : shownNameOf(member);
  if (channel.state === 'not_connected') return done(state);
  const ended = disconnect(situation, { channels: [channel], by, at: command.issuedAt, sweepId: command.requestId });
  return done(ended.state, ended.effects);
}

/**
 * A report of the Network about a Connection. It does not reconnect a Channel that a person disconnected. It is older
 * than what is known only where that was not seen by a clock that led: such a one would hide all reports until then.
 */
export function markChannel({ state, now }: DecisionContext, command: MarkChannel): DecideResult {
  const channel = state.channels[command.channelId];
  if (!channel || channel.state === 'not_connected') return unchanged(state);
  if (command.seenAt <= channel.seenAt && channel.seenAt <= now + CLOCK_SKEW_MS) return unchanged(state);
  const marked: Channel = { ...channel, state: command.state, seenAt: command.seenAt };
  const next = { ...state, channels: { ...state.channels, [channel.id]: marked } };
  return { ...unchanged(next), effects: marked.state === channel.state ? [] : [{ kind: 'channels-changed' }] };
}

/**
 * The newest copy of a picture counts. A copy that came too late, because the Channel was disconnected or connected
 * again or has a newer one, is removed, as is the one that it replaces.
 */
export function pictureCopied({ state }: DecisionContext, command: PictureCopied): DecideResult {
  const { channelId, connectedAt, askedAt, blob } = command;
  const channel = state.channels[channelId];
  const before = channel?.picture;
  if (before?.blob === blob) return unchanged(state);
  const isLate =
    channel === undefined ||
    channel.state === 'not_connected' ||
    channel.connectedAt !== connectedAt ||
    (before !== undefined && before.askedAt >= askedAt);
  if (isLate) return { ...unchanged(state), effects: [{ kind: 'remove-picture', channelId, blob }] };
  const pictured: Channel = { ...channel, picture: { blob, askedAt } };
  return {
    ...unchanged({ ...state, channels: { ...state.channels, [channelId]: pictured } }),
    effects: [
      { kind: 'channels-changed' },
      ...(before === undefined ? [] : [{ kind: 'remove-picture', channelId, blob: before.blob } as const]),
    ],
  };
}

/**
 * Disconnects the Channel and removes what the Network said of its account. The Channel itself stays, as the history of
 * Posts names it. It can not be connected again, because it is of no account any more.
 */
export function eraseAccount(situation: DecisionContext, command: EraseAccount): DecideResult {
  const { state, now } = situation;
  const channel = state.channels[command.channelId];
  if (channel === undefined || channel.accountId === ERASED) return unchanged(state);
  // Connected since; or by a clock that led, and then before.
  const isSince = channel.connectedAt > command.requestedAt && channel.connectedAt <= now + CLOCK_SKEW_MS;
  if (isSince) return unchanged(state);
  const sweepId = `erase/${channel.id}/${now}`;
  const ended =
    channel.state === 'not_connected'
      ? { state, effects: [{ kind: 'channels-changed' } as const] }
      : disconnect(situation, { channels: [channel], by: 'the owner of the account', at: now, sweepId });
  const left = ended.state.channels[channel.id]!;
  const erased: Channel = { ...left, name: `Deleted ${channel.network} account`, accountId: ERASED, kind: '' };
  return {
    ...unchanged({ ...ended.state, channels: { ...ended.state.channels, [channel.id]: erased } }),
    effects: ended.effects,
  };
}
