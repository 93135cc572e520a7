import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import type { Facts } from '#reporting/fact.ts';
import { REDIRECT, xAuthorizeUrl, xCodeForm, BASIC, threadsAuthorizeUrl, threadsCodeForm } from './sandbox.fixture.ts';
import { noDownload } from './files/fetch-file.ts';
import { createSandboxService } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-service-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const failures: unknown[] = [];
function serviceAt(file: string) {
  const reporter = {
    report: () => undefined,
    failure: (_event: string, error: unknown, _facts?: Facts) => void failures.push(error),
  };
  const ours = { mediaUrl: () => 'http://media.test', redirectUris: () => [REDIRECT] };
  return createSandboxService({
    ...ours,
    host: '127.0.0.1',
    port: 0,
    file: join(folder, file),
    clock: createSystemClock(),
    ids: createSystemIds(),
    download: noDownload,
    reporter,
  });
}

async function signIn(base: string): Promise<{ readonly token: string; readonly refreshToken: string }> {
  const consent = await fetch(base + xAuthorizeUrl(), { redirect: 'manual' });
  const code = new URL(consent.headers.get('location')!).searchParams.get('code')!;
  const answer = await fetch(`${base}/sim/x/2/oauth2/token`, {
    method: 'POST',
    headers: BASIC,
    body: new URLSearchParams(xCodeForm(code)),
  });
  const tokens = (await answer.json()) as { access_token: string; refresh_token: string };
  return { token: tokens.access_token, refreshToken: tokens.refresh_token };
}

const send = (base: string, path: string, body: unknown, token = '') =>
  fetch(base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const get = async (base: string, path: string) =>
  (await (await fetch(base + path)).json()) as Record<string, readonly Record<string, unknown>[]>;

async function childAt(file: string): Promise<{ readonly base: string; readonly child: ChildProcess }> {
  const script = new URL('./service-process.fixture.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, join(folder, file), REDIRECT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { base: line, child };
}

test('everything that was answered survives kill -9, and no answered post is lost or doubled', async () => {
  const first = await childAt('killed.db');
  const { token, refreshToken } = await signIn(first.base);
  await send(first.base, '/sandbox/timing', { network: 'threads', factor: 0.5 });
  await send(first.base, '/sandbox/faults', { network: 'threads', fault: 'drop_after_commit', count: 3 });
  const consent = await fetch(first.base + threadsAuthorizeUrl(), { redirect: 'manual' });
  const code = new URL(consent.headers.get('location')!).searchParams.get('code')!;
  const short = (await (
    await fetch(`${first.base}/sim/threads/oauth/access_token`, {
      method: 'POST',
      body: new URLSearchParams(threadsCodeForm(code)),
    })
  ).json()) as { access_token: string };
  const container = (await (
    await send(first.base, '/sim/threads/v1.0/me/threads', { media_type: 'TEXT', text: 'kept' }, short.access_token)
  ).json()) as { id: string };

  const answered: string[] = [];
  const posting = Array.from({ length: 90 }, async (_, i) => {
    const answer = await send(first.base, '/sim/x/2/tweets', { text: `post ${i}` }, token).catch(() => null);
    if (answer?.status === 201) answered.push(`post ${i}`);
    if (answered.length === 40) first.child.kill('SIGKILL');
  });
  await Promise.all(posting);
  expect(answered.length).toBeGreaterThanOrEqual(40);

  const { base, child } = await childAt('killed.db');
  const texts = (await get(base, '/sandbox/items?network=x'))['items']!.map((item) => item['text'] as string);
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts).toEqual(expect.arrayContaining(answered));
  expect(
    (await get(base, '/sandbox/calls?network=x'))['calls']!.filter(({ status }) => status === 201).length,
  ).toBeGreaterThanOrEqual(answered.length);
  expect((await get(base, '/sandbox/faults'))['faults']).toEqual([
    expect.objectContaining({ fault: 'drop_after_commit', left: 3 }),
  ]);
  expect((await send(base, '/sim/x/2/tweets', { text: answered[0] }, token)).status).toBe(403);
  expect((await send(base, '/sim/x/2/tweets', { text: 'afterwards' }, token)).status).toBe(201);
  const status = (await (
    await fetch(`${base}/sim/threads/v1.0/${container.id}?fields=status&access_token=${short.access_token}`)
  ).json()) as { status: string };
  expect(['IN_PROGRESS', 'FINISHED']).toContain(status.status);
  const refresh = () =>
    fetch(`${base}/sim/x/2/oauth2/token`, {
      method: 'POST',
      headers: BASIC,
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    });
  expect([(await refresh()).status, (await refresh()).status]).toEqual([200, 400]);
  child.kill('SIGKILL');
});

test('a cut ends the connection without a byte, and a body over the limit is 413', async () => {
  const service = serviceAt('cut.db');
  await service.start();
  const base = service.address();
  const { token } = await signIn(base);
  await send(base, '/sandbox/faults', { network: 'x', fault: 'drop_after_commit' });
  await expect(send(base, '/sim/x/2/tweets', { text: 'cut' }, token)).rejects.toThrow();
  expect((await get(base, '/sandbox/items'))['items']!.length).toBe(1);
  expect((await get(base, '/sandbox/items'))['items']![0]!['permalink']).toMatch(new RegExp(`^${base}/sim/x/`));
  const large = await fetch(`${base}/sandbox/faults`, { method: 'POST', body: 'a'.repeat(1_100_000) }).catch(
    () => null,
  );
  expect([413, undefined]).toContain(large?.status);
  expect((await fetch(base, { method: 'HEAD' })).status).toBe(200);
  await service.stop();
});

test('a drain answers the requests in progress, also those that a fault delays', async () => {
  const service = serviceAt('drained.db');
  expect(service.trouble()).toBe('not started');
  await service.start();
  const base = service.address();
  expect(service.trouble()).toBeNull();
  const { token } = await signIn(base);
  await send(base, '/sandbox/faults', { network: 'x', fault: 'delay', delayMs: 600_000 });
  const slow = send(base, '/sim/x/2/tweets', { text: 'slow' }, token);
  await expect.poll(async () => (await get(base, '/sandbox/faults'))['faults']!.length).toBe(0);
  await service.drain();
  expect((await slow).status).toBe(201);
  await service.stop();
  await service.stop();
  await expect(fetch(base)).rejects.toThrow();
});

test('bytes that are not http, and clients that disconnect, do no harm', async () => {
  failures.length = 0;
  const service = serviceAt('rude.db');
  await service.start();
  const { hostname, port } = new URL(service.address());
  for (const bytes of [
    '\x00\xff garbage\r\n\r\n',
    'POST /sim/x/2/tweets HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"te',
    'GET //evil.test/../%ff%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  ]) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.end(bytes);
    socket.resume();
    await once(socket, 'close');
  }
  expect((await fetch(service.address())).status).toBe(200);
  expect(failures).toEqual([]);
  await service.stop();
});
