import { MAX_CHANNEL_NAME_BYTES, MAX_CHANNEL_PICTURE_URL_BYTES, type Channel } from '#domain/channel/channel.ts';
import { cutToJsonBytes, jsonBytes } from '#domain/json-size.ts';
import type { Network } from '#domain/network.ts';
import type { ChannelDefaults } from '#domain/post/channel-options.ts';
import type { ConnectChannel } from '#domain/workspace/commands.ts';
import type { Credential, Origin, RequestEnvelope } from '#domain/workspace/request-envelope.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { ConnectableAccount } from '#networks/contract/adapter.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import type { Connections } from './connections.ts';

export type ConnectChannelCommand = Omit<ConnectChannel, keyof RequestEnvelope>;

/** For whom a Channel is connected, and from where; empty: for an operator. */
export interface ChannelSender extends Partial<Origin> {
  readonly credential?: Credential;
}

export interface ConnectChannelOptions {
  readonly connections: Pick<Connections, 'save' | 'rename' | 'forget'>;
  readonly store: TableStore;
  /** Puts the order to the Workspace; answers `outcome_unknown` past its deadline. Rejects with `PortError`. */
  readonly sendCommand: (workspaceId: string, send: ConnectChannelCommand, sender: ChannelSender) => Promise<Result>;
}

export interface ChannelToConnect {
  readonly workspaceId: string;
  readonly network: Network;
  readonly channelId: string;
  readonly name: string;
  /** Of a new Channel; absent: none. */
  readonly defaults?: ChannelDefaults;
  /** Who connects it in the app, and the IP address of their browser; absent: an operator. */
  readonly by?: { readonly memberId: string; readonly address: string | null };
}

/**
 * Stores the tokens before the command that connects the Channel, so that a Variant that is due at once finds them.
 * When the Workspace refuses the Channel, only a sealed pair is left that no code looks up; the other order could leave
 * a connected Channel without tokens. Rejects with `PortError`.
 */
export async function connectChannel(
  { workspaceId, network, channelId, name, defaults, by }: ChannelToConnect,
  { tokens, ...profile }: ConnectableAccount,
  options: ConnectChannelOptions,
): Promise<Result> {
  const { connections, sendCommand: send } = options;
  const connectionId = await connections.save({ id: channelId, workspaceId, network }, tokens, profile);
  const { accountId, kind, avatarUrl } = profile;
  const order: ConnectChannelCommand = {
    type: 'ConnectChannel',
    channelId,
    network,
    name: cutToJsonBytes(name, MAX_CHANNEL_NAME_BYTES),
    // An address that no record has room for is not worth the sign-in: the Channel has no picture then.
    avatarUrl: avatarUrl !== null && jsonBytes(avatarUrl) <= MAX_CHANNEL_PICTURE_URL_BYTES ? avatarUrl : null,
    accountId,
    kind,
    connectionId,
    ...(defaults !== undefined && { defaults }),
  };
  const result = await send(workspaceId, order, by === undefined ? {} : senderOf(by));
  // After an unknown outcome the Channel may still be connected, and then needs the tokens.
  if (!result.ok && result.code !== 'outcome_unknown')
    await settleRefused({ workspaceId, channelId, connectionId }, options);
  return result;
}

function senderOf({ memberId, address }: NonNullable<ChannelToConnect['by']>): ChannelSender {
  return { credential: { kind: 'member', memberId }, door: 'app', address };
}

interface RefusedConnection {
  readonly workspaceId: string;
  readonly channelId: string;
  readonly connectionId: string;
}

/**
 * A Channel that is connected all the same keeps the new tokens, which serve as well as those that they replaced, under
 * the id that it names: its Disconnect ends tokens by that id, and would leave others. It is looked at again behind
 * that, because a Disconnect that came in between did not find them. Any other Channel has no use for them.
 */
async function settleRefused(
  { workspaceId, channelId, connectionId }: RefusedConnection,
  { connections, store }: ConnectChannelOptions,
): Promise<void> {
  const liveChannel = async (): Promise<Channel | null> => {
    const channel = (await readHead(store, workspaceId, { serial: true }))?.state.channels[channelId];
    return channel === undefined || channel.state === 'not_connected' ? null : channel;
  };
  const named = (await liveChannel())?.connectionId;
  if (named !== undefined) await connections.rename(channelId, connectionId, named);
  if ((await liveChannel()) === null) await connections.forget(channelId, named ?? connectionId);
}
