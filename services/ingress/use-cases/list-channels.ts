import { renderChannels, type ChannelBody } from '#domain/channel/render.ts';
import type { Call } from '../caller.ts';
import type { WorkspaceReader } from '../dependencies.ts';
import { done, settled, type Outcome } from '../outcome.ts';

/** The Workspace's live Channels, oldest first. */
export function listChannels(call: Call, { workspaces }: { readonly workspaces: WorkspaceReader }): Promise<Outcome<readonly ChannelBody[]>> {
  return settled('read', async () => done(renderChannels(await workspaces.channels(call.workspaceId))));
}
