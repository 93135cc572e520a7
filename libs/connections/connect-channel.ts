import { MAX_CHANNEL_NAME_BYTES } from '#domain/channel/channel.ts';
import { cutToJsonBytes } from '#domain/json-size.ts';
import type { Network } from '#domain/network.ts';
import type { RequestEnvelope, ConnectChannel } from '#domain/workspace/commands.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { ConnectableAccount } from '#networks/contract/adapter.ts';
import type { Connections } from './connections.ts';

export type ConnectChannelCommand = Omit<ConnectChannel, keyof RequestEnvelope>;

export interface ConnectChannelOptions {
  readonly connections: Pick<Connections, 'save' | 'forget'>;
  /** Puts the order to the Workspace; answers `outcome_unknown` past its deadline. Rejects with `PortError`. */
  readonly sendCommand: (workspaceId: string, order: ConnectChannelCommand) => Promise<Result>;
}

export interface ChannelToConnect {
  readonly workspaceId: string;
  readonly network: Network;
  readonly channelId: string;
  readonly name: string;
  /**
   * It is connected now, or in need of a reconnect: its new tokens are as good as its old ones, whatever is answered.
   */
  readonly isListed: boolean;
}

/**
 * The tokens are kept before the Channel says that it is connected: what is due the same moment finds them. A Channel
 * that never comes to be leaves a sealed pair that nobody looks up, hence the order is not the other way round. Rejects
 * with `PortError`.
 */
export async function connectChannel(
  { workspaceId, network, channelId, name, isListed }: ChannelToConnect,
  { tokens, ...profile }: ConnectableAccount,
  { connections, sendCommand: order }: ConnectChannelOptions,
): Promise<Result> {
  await connections.save({ id: channelId, workspaceId, network }, tokens, profile);
  const { accountId, kind } = profile;
  // A Network's own address of the picture ends after some days: there is none until a copy is served from ours.
  const result = await order(workspaceId, {
    type: 'ConnectChannel',
    channelId,
    network,
    name: cutToJsonBytes(name, MAX_CHANNEL_NAME_BYTES),
    avatarUrl: null,
    accountId,
    kind,
  });
  // When nobody knows, it may be connected soon.
  if (!result.ok && result.code !== 'outcome_unknown' && !isListed) await connections.forget(channelId);
  return result;
}
