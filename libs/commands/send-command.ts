import type { Codec } from '#messages/messages.ts';
import type { Command } from '#domain/workspace/commands.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';

export interface SendCommandOptions {
  readonly log: Pick<Log, 'append'>;
  readonly codec: Codec;
}

/** Puts a command into the mailbox of its Workspace; durable when it resolves. Rejects with `PortError`. */
export async function sendCommand({ log, codec }: SendCommandOptions, command: Command): Promise<void> {
  await log.append(WORKSPACE_COMMANDS.name, [{ key: command.workspaceId, value: codec.encode(command) }]);
}

export interface ChannelKey {
  readonly workspaceId: string;
  readonly channelId: string;
}

/** Tells the Workspace that the Network refused a Channel's tokens for good: a person has to connect it again. */
export function reportNeedsReconnect(
  parts: SendCommandOptions & { readonly clock: Clock },
  { workspaceId, channelId }: ChannelKey,
): Promise<void> {
  return sendCommand(parts, {
    type: 'MarkChannel',
    workspaceId,
    channelId,
    state: 'needs_reconnect',
    seenAt: parts.clock.now(),
  });
}
