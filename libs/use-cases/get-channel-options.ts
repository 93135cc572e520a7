import type { ReadAccountChoices } from '#connections/account-choices.ts';
import type { Network } from '#domain/network.ts';
import type { ChannelDefaults } from '#domain/post/channel-options.ts';
import type { Choices } from '#networks/contract/adapter.ts';
import type { ApiCall } from './caller.ts';
import type { WorkspaceReader } from './dependencies.ts';
import { done, failed, settled, UNAVAILABLE, type UseCaseResult } from './outcome.ts';

export interface ChannelOptionsOptions {
  readonly workspaces: Pick<WorkspaceReader, 'channels'>;
  readonly accountChoices: ReadAccountChoices;
}

export interface ChannelOptionsAnswer {
  readonly network: Network;
  readonly defaults: ChannelDefaults;
  readonly choices: Choices;
}

/** What a Channel does with a Post that says nothing, and what its Network lets the account choose right now. */
export function getChannelOptions(
  call: ApiCall,
  channelId: string,
  { workspaces, accountChoices }: ChannelOptionsOptions,
): Promise<UseCaseResult<ChannelOptionsAnswer>> {
  return settled('read', async () => {
    const channel = (await workspaces.channels(call.workspaceId))[channelId];
    if (channel === undefined || channel.state === 'not_connected')
      return failed('not_found', 'There is no such Channel in this Workspace.');
    const { network, defaults = {} } = channel;
    const asked = await accountChoices(channel);
    if (asked.kind === 'ok') return done({ network, defaults, choices: asked.choices });
    if (asked.kind === 'needs_reconnect')
      return failed('channel_disconnected', `${channel.name} needs to be reconnected before its options can be read.`);
    return { ok: false, problem: { ...UNAVAILABLE, behind: asked.detail } };
  });
}
