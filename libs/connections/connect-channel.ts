import { MAX_CHANNEL_NAME_BYTES, MAX_CHANNEL_PICTURE_URL_BYTES } from '#domain/channel/channel.ts';
import { cutToJsonBytes, jsonBytes } from '#domain/json-size.ts';
import type { Network } from '#domain/network.ts';
import type { ChannelDefaults } from '#domain/post/channel-options.ts';
import type { ConnectChannel } from '#domain/workspace/commands.ts';
import type { Credential, RequestEnvelope } from '#domain/workspace/request-envelope.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { ConnectableAccount } from '#networks/contract/adapter.ts';
import type { Connections } from './connections.ts';

export type ConnectChannelCommand = Omit<ConnectChannel, keyof RequestEnvelope>;

export interface ConnectChannelOptions {
  readonly connections: Pick<Connections, 'save' | 'forget'>;
  /** Puts the order to the Workspace; answers `outcome_unknown` past its deadline. Rejects with `PortError`. */
  readonly sendCommand: (
    workspaceId: string,
    send: ConnectChannelCommand,
    sender?: { readonly credential: Credential | null },
  ) => Promise<Result>;
}

export interface ChannelToConnect {
  readonly workspaceId: string;
  readonly network: Network;
  readonly channelId: string;
  readonly name: string;
  /**
   * It is connected, or needs a reconnect. Then the new tokens stay, whatever the Workspace answers: they serve as well
   * as the old ones.
   */
  readonly isListed: boolean;
  /** Of a new Channel; absent: none. */
  readonly defaults?: ChannelDefaults;
  /** Who connects it; absent: an operator. */
  readonly memberId?: string;
}

/**
 * Stores the tokens before the command that connects the Channel, so that a Variant that is due at once finds them.
 * When the Workspace refuses the Channel, only a sealed pair is left that no code looks up; the other order could leave
 * a connected Channel without tokens. Rejects with `PortError`.
 */
export async function connectChannel(
  { workspaceId, network, channelId, name, isListed, defaults, memberId }: ChannelToConnect,
  { tokens, ...profile }: ConnectableAccount,
  { connections, sendCommand: send }: ConnectChannelOptions,
): Promise<Result> {
  const connectionId = await connections.save({ id: channelId, workspaceId, network }, tokens, profile);
  const { accountId, kind, avatarUrl } = profile;
  const credential = memberId === undefined ? null : ({ kind: 'member', memberId } as const);
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
  const result = await send(workspaceId, order, { credential });
  // After an unknown outcome the Channel may still be connected, and then needs the tokens.
  if (!result.ok && result.code !== 'outcome_unknown' && !isListed) await connections.forget(channelId);
  return result;
}
