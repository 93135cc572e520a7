import type { CrierServer } from '../../crier-server.ts';
import type { ApiHome } from '../peer.ts';
import { createPosts, homeState } from '../rest-client.ts';
import { HOOKS_HOST } from '../sink/start-sink.ts';

const CREDITS = 1_000_000_000;

export interface CrierHome extends ApiHome {
  readonly workspaceId: string;
}

/**
 * A Workspace with Channels of x, a key, and an endpoint that is told of outcomes. `server` is asked each time, as it
 * has other ports once it was started again.
 */
export async function buildPeerHome(server: () => CrierServer, number: number, channels: number): Promise<CrierHome> {
  const { admin, baseUrl } = server();
  const { workspaceId, memberId } = await admin.workspaces.create.mutate({
    name: `Bench ${number}`,
    ownerEmail: `bench${number}@example.test`,
    plan: 'agency',
  });
  await admin.workspaces.addCredits.mutate({ workspaceId, credits: CREDITS });
  const connected: { readonly channelId: string; readonly accountId: string }[] = [];
  for (let channel = 1; channel <= channels; channel++) {
    const name = `x${number}_${channel}`;
    connected.push(await admin.channels.connectSandbox.mutate({ workspaceId, network: 'x', name }));
  }
  const { apiKey: key } = await admin.keys.create.mutate({
    workspaceId,
    memberId,
    name: 'Key 1',
    permissions: ['posts:schedule', 'posts:publish', 'webhooks:manage'],
  });
  const answer = await fetch(`${baseUrl}/api/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `https://${HOOKS_HOST}/hook`, events: ['variant.published', 'variant.failed'] }),
  });
  if (!answer.ok) throw new Error(`the endpoint was answered by ${answer.status}: ${await answer.text()}`);
  const channelIds = connected.map(({ channelId }) => channelId);
  const accounts = connected.map(({ accountId }) => accountId);
  const address = () => ({ url: server().baseUrl, key, channelIds, accounts });
  return {
    ...{ workspaceId, key, channelIds, accounts },
    schedule: (posts) => createPosts(address(), posts),
    state: () => homeState(address()),
  };
}
