import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';
import { SANDBOX_APP } from '#services/sandbox/simulators.ts';
import { fileOf, published, upload } from './media-files.ts';

/** An address of this machine too, as all of 127.0.0.0/8 are, and not the default of listeners. */
const ANOTHER_ADDRESS = '127.0.0.2';

let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start({
    env: {
      CRIER_HOST: '0.0.0.0',
      CRIER_PUBLIC_URL: 'https://crier.example.test',
      CRIER_MEDIA_URL: 'http://media.example.test',
    },
  });
});
afterAll(() => crier[Symbol.asyncDispose]());

function listensAt(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false))
      .once('connect', () => socket.destroy());
  });
}

/** The status of a request under any host name. */
function askedAs(host: string, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      url,
      { headers: { host, authorization: `Bearer ${crier.ready.adminToken}` } },
      (response) => resolve(response.resume().statusCode!),
    );
    asked.on('error', reject).end();
  });
}

const sandbox = (path: string, init: RequestInit = {}) =>
  fetch(`${crier.ready.sandboxUrl}/sim/threads${path}`, { redirect: 'manual', ...init });

function consentTo(redirectUri: string): Promise<Response> {
  const asked = {
    response_type: 'code',
    client_id: SANDBOX_APP.clientId,
    redirect_uri: redirectUri,
    scope: 'threads_basic,threads_content_publish',
    state: 's1',
    auto_approve: '1',
  };
  return sandbox(`/oauth/authorize?${new URLSearchParams(asked)}`);
}

test('an API on every address leaves admin and sandbox on the local address', async () => {
  expect(await listensAt(ANOTHER_ADDRESS, crier.ports.api)).toBe(true);
  for (const port of [crier.ports.admin, crier.ports.sandbox]) {
    expect(await listensAt('127.0.0.1', port)).toBe(true);
    expect(await listensAt(ANOTHER_ADDRESS, port)).toBe(false);
  }
});

test('each listener has a setting of its own', async () => {
  await using other = await CrierUnderTest.start({
    env: { CRIER_ADMIN_HOST: ANOTHER_ADDRESS, CRIER_SANDBOX_HOST: ANOTHER_ADDRESS },
  });
  const { demo, adminUrl, sandboxUrl } = other.ready;
  expect([adminUrl, sandboxUrl]).toEqual([
    `http://${ANOTHER_ADDRESS}:${other.ports.admin}`,
    `http://${ANOTHER_ADDRESS}:${other.ports.sandbox}`,
  ]);
  expect(Object.keys(demo!.channels)).toHaveLength(6);
  for (const port of [other.ports.admin, other.ports.sandbox]) expect(await listensAt('127.0.0.1', port)).toBe(false);
});

test('people find the sandbox at CRIER_SANDBOX_PUBLIC_URL, and processes call it where they reach it', async () => {
  // No name server knows it: a request that is sent there fails.
  const site = 'http://sandbox.example.test';
  await using other = await CrierUnderTest.start({ env: { CRIER_SANDBOX_PUBLIC_URL: site } });
  const assetId = await upload(other.api(), fileOf('video/mp4', Buffer.from(MEDIA_FIXTURES.reel.bytes)));
  const channelIds = Object.values(other.ready.demo!.channels);
  expect(channelIds).toHaveLength(6);
  const { id } = await other.api().createPost({ text: 'Seen from elsewhere', media: [{ assetId }], channelIds });
  const { variants } = await published(other, id);
  for (const { network, permalink } of variants)
    expect(permalink, network).toMatch(/^http:\/\/sandbox\.example\.test\/sim\//);
  const isCopied = (url: string | null): boolean => url?.startsWith(`${other.ready.baseUrl}/media/`) === true;
  await until(async () => (await other.api().channels()).every(({ avatarUrl }) => isCopied(avatarUrl)), {
    what: 'copies of the pictures of accounts, which the sandbox serves',
  });
});

test('a host name that only leads here opens neither the sandbox nor admin', async () => {
  const { adminUrl, sandboxUrl } = crier.ready;
  expect(await askedAs('evil.test', `${sandboxUrl}/sandbox/calls`)).toBe(403);
  expect(await askedAs('evil.test', `${adminUrl}/trpc/system.status`)).toBe(403);
  expect(await askedAs('localhost', `${sandboxUrl}/sandbox/calls`)).toBe(200);
  expect(await askedAs('localhost', `${adminUrl}/trpc/system.status`)).toBe(200);
  expect(await askedAs('evil.test', `${adminUrl}/metrics`)).toBe(200);
});

describe('the sandbox Networks', () => {
  test('send sign-in codes to the callback of this installation and nowhere else', async () => {
    for (const elsewhere of [
      'https://evil.test/connect/threads/callback',
      'https://crier.example.test/elsewhere',
      'https://crier.example.test.evil.test/connect/threads/callback',
    ]) {
      const refused = await consentTo(elsewhere);
      expect([elsewhere, refused.status, refused.headers.get('location')]).toEqual([elsewhere, 400, null]);
    }
    const approved = await consentTo('https://crier.example.test/connect/threads/callback');
    expect(approved.headers.get('location')).toMatch(
      /^https:\/\/crier\.example\.test\/connect\/threads\/callback\?code=/,
    );
  });

  test('fetch from CRIER_MEDIA_URL and from no other server', async () => {
    const asked: string[] = [];
    const { bytes, contentType } = MEDIA_FIXTURES.photo;
    const stranger = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(200, { 'content-type': contentType }).end(bytes);
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    try {
      const redirectUri = 'https://crier.example.test/connect/threads/callback';
      const code = new URL((await consentTo(redirectUri)).headers.get('location')!).searchParams.get('code')!;
      const form = {
        client_id: SANDBOX_APP.clientId,
        client_secret: SANDBOX_APP.clientSecret,
        code,
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
      };
      const { access_token } = (await (
        await sandbox('/oauth/access_token', { method: 'POST', body: new URLSearchParams(form) })
      ).json()) as { access_token: string };
      const image_url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/photo.jpg`;
      const container = await sandbox('/v1.0/me/threads', {
        method: 'POST',
        body: new URLSearchParams({ media_type: 'IMAGE', image_url, access_token }),
      });
      expect(container.status).toBe(400);
      expect(asked).toEqual([]);
    } finally {
      stranger.closeAllConnections();
      stranger.close();
    }
  });
});
