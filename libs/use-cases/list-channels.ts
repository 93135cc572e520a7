import { renderChannels, type ChannelBody } from '#domain/channel/render.ts';
import type { MediaUrl } from '#domain/post/render.ts';
import type { ApiCall } from './caller.ts';
import type { WorkspaceReader } from './dependencies.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';

/** The Workspace's live Channels, oldest first. */
export function listChannels(
  call: ApiCall,
  { workspaces, mediaUrl }: { readonly workspaces: WorkspaceReader; readonly mediaUrl: MediaUrl },
): Promise<UseCaseResult<readonly ChannelBody[]>> {
  return settled('read', async () => done(renderChannels(await workspaces.channels(call.workspaceId), mediaUrl)));
}
