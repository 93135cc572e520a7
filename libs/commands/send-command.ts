import type { Codec } from '#messages/messages.ts';
import { traceHeaders } from '#messages/message-headers.ts';
import type { Command } from '#domain/workspace/commands.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';

export interface SendCommandOptions {
  readonly log: Pick<Log, 'append'>;
  readonly codec: Codec;
}

/** Appends a command to the mailbox of its Workspace; it is durable when this resolves. Rejects with `PortError`. */
export async function sendCommand({ log, codec }: SendCommandOptions, command: Command): Promise<void> {
  await log.append(WORKSPACE_COMMANDS.name, [
    { key: command.workspaceId, value: codec.encode(command), ...traceHeaders(command) },
  ]);
}

export interface ChannelKey {
  readonly workspaceId: string;
  readonly channelId: string;
}

/**
 * Reports to the Workspace that the Network refused a Channel's tokens for good: a person has to connect it again.
 * `seenAt`: when these tokens were read, so that the report does not count against newer ones; left out: now.
 */
export function reportNeedsReconnect(
  options: SendCommandOptions & { readonly clock: Clock },
  { workspaceId, channelId }: ChannelKey,
  seenAt: number = options.clock.now(),
): Promise<void> {
  return sendCommand(options, {
    type: 'MarkChannel',
    workspaceId,
    channelId,
    state: 'needs_reconnect',
    seenAt,
  });
}
