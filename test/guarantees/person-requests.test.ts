import { expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { signedRequest } from '#testing/signed-request.ts';
import { until } from '#testing/until.ts';

test('a person of a Network can remove the app, and then have their data deleted', async () => {
  await using crier = await CrierUnderTest.start();
  const { workspaceId, channels } = crier.ready.demo!;
  const channelId = channels['threads']!;
  const ask = async (what: string, userId: string) => {
    const body = new URLSearchParams({
      signed_request: signedRequest({ userId, issuedAt: Math.floor(Date.now() / 1_000) }, 'crier-sandbox-secret'),
    });
    return fetch(`${crier.ready.baseUrl}/connect/threads/${what}`, { method: 'POST', body });
  };
  const channel = async () => {
    const workspace = (await crier.admin().call('workspaces.get', { workspaceId })) as {
      readonly channels: readonly { readonly channelId: string; readonly state: string; readonly accountId: string }[];
    };
    return workspace.channels.find((each) => each.channelId === channelId)!;
  };
  const { accountId } = await channel();
  expect((await ask('deauthorize', accountId)).status).toBe(200);
  await until(async () => (await channel()).state === 'needs_reconnect', { what: 'the Channel is marked' });

  const unknown = (await (await ask('data-deletion', '404')).json()) as Record<string, string>;
  const asked = (await (await ask('data-deletion', accountId)).json()) as Record<string, string>;
  expect(Object.keys(asked)).toEqual(Object.keys(unknown));
  // kill -9: what was answered is carried out all the same.
  await crier.restart('kill');
  await until(async () => (await channel()).state === 'not_connected', { what: 'the Channel is disconnected' });
  expect((await channel()).accountId).toBe('');
  const statusOf = async ({ url }: Record<string, string>) => (await fetch(url!)).text();
  const done = await until(
    async () => {
      const page = await statusOf(asked);
      return page.includes('Nothing of your account') ? page : null;
    },
    { what: 'the deletion is done' },
  );
  expect(await statusOf(unknown)).toBe(done);
});
