import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { until } from '#testing/until.ts';
import { noDownload } from './files/fetch-file.ts';
import { BASIC, REDIRECT, xAuthorizeUrl, xCodeForm } from './sandbox.fixture.ts';
import { createSandboxService, type SandboxService } from './service.ts';

const MEGABYTE = 1_048_576;
const folder = mkdtempSync(join(tmpdir(), 'sandbox-hostile-'));
let service: SandboxService;
let base: string;

beforeAll(async () => {
  const options = {
    clock: createSystemClock(),
    ids: createSystemIds(),
    download: noDownload,
    reporter: createMemoryReporter(),
  };
  const identity = { certificate: '', key: '' };
  service = createSandboxService({
    ...options,
    host: '127.0.0.1',
    port: 0,
    file: join(folder, 'door.db'),
    mediaUrl: () => 'http://media.test',
    redirectUris: () => [REDIRECT],
    publicUrl: 'https://sandbox.example.test',
    internalUrl: 'http://sandbox:8090',
    inbox: identity,
  });
  await service.start();
  base = service.address();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface SentRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends any headers, including those that fetch sets itself. */
function ask(method: string, path: string, { headers = {}, body }: SentRequest = {}): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(base + path, { method, headers }, (response) => {
      const pieces: Buffer[] = [];
      response
        .on('data', (piece: Buffer) => pieces.push(piece))
        .on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(pieces).toString() }),
        );
    });
    asked.on('error', reject).end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const FAULT = JSON.stringify({ network: 'x', fault: 'delay', delayMs: 1 });
const faults = async (): Promise<unknown[]> => JSON.parse((await ask('GET', '/sandbox/faults')).text).faults;

async function token(): Promise<string> {
  const consent = await ask('GET', xAuthorizeUrl());
  const code = new URL(String(consent.headers['location'])).searchParams.get('code')!;
  const answer = await ask('POST', '/sim/x/2/oauth2/token', {
    headers: { ...BASIC, ...FORM_TYPE },
    body: new URLSearchParams(xCodeForm(code)).toString(),
  });
  return JSON.parse(answer.text).access_token as string;
}

describe('pages of other sites, and host names that only lead here,', () => {
  test.each([
    { host: 'evil.test' },
    { host: 'evil.test:8090' },
    { origin: 'http://evil.test' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'null' },
  ])('get nothing: %o', async (headers) => {
    expect((await ask('POST', '/sandbox/faults', { headers: { ...JSON_TYPE, ...headers }, body: FAULT })).status).toBe(
      403,
    );
    expect(await faults()).toEqual([]);
    for (const path of [
      '/',
      '/sandbox/items',
      '/sandbox/calls',
      '/inbox',
      '/sandbox/inbox/orders',
      '/sim/x/2/users/me',
      xAuthorizeUrl(),
    ]) {
      const refused = await ask('GET', path, { headers });
      expect([
        path,
        refused.status,
        refused.headers['location'],
        refused.headers['access-control-allow-origin'],
      ]).toEqual([path, 403, undefined, undefined]);
    }
  });

  test('are not admitted by a preflight', async () => {
    const headers = {
      origin: 'http://evil.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const refused = await ask('OPTIONS', '/sandbox/faults', { headers });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  test('are distinguished from its own: loopback by any name, and the address where it is reached', async () => {
    for (const host of ['localhost', '127.0.0.1:8090', '[::1]:8090', 'sandbox.example.test', 'sandbox:8090'])
      expect((await ask('GET', '/sandbox/items', { headers: { host } })).status).toBe(200);
    expect(
      (await ask('POST', '/inbox/own', { headers: { ...FORM_TYPE, origin: base }, body: 'answer=500' })).status,
    ).toBe(303);
    expect(
      (
        await ask('POST', '/inbox/own', {
          headers: { ...FORM_TYPE, origin: 'https://sandbox.example.test', host: 'sandbox.example.test' },
          body: 'answer=200',
        })
      ).status,
    ).toBe(303);
  });
});

describe('control calls accept JSON only:', () => {
  const posts = [
    ['/sandbox/faults', FAULT],
    ['/sandbox/timing', '{"network":"x","factor":1}'],
    ['/sandbox/limits', '{"network":"x","limits":{}}'],
    ['/sandbox/inbox/orders', '{"answer":"500"}'],
    ['/sandbox/accounts/7/revoke', '{}'],
  ] as const;

  test.each(posts)('POST %s', async (path, body) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      '',
    ]) {
      const refused = await ask('POST', path, { headers: type === '' ? {} : { 'content-type': type }, body });
      expect([type, refused.status, JSON.parse(refused.text).error.code]).toEqual([
        type,
        415,
        'unsupported_media_type',
      ]);
    }
    expect(await faults()).toEqual([]);
    expect([200, 404]).toContain(
      (await ask('POST', path, { headers: { 'content-type': 'application/json; charset=utf-8' }, body })).status,
    );
    await ask('DELETE', '/sandbox/faults');
  });

  test('a form of the page of an inbox is accepted from that page only', async () => {
    const before = JSON.parse((await ask('GET', '/sandbox/inbox/paged')).text);
    expect((await ask('POST', '/inbox/paged', { headers: FORM_TYPE, body: 'answer=500' })).status).toBe(415);
    expect(
      (
        await ask('POST', '/inbox/paged', {
          headers: { 'content-type': 'text/plain', origin: base },
          body: 'answer=500',
        })
      ).status,
    ).toBe(415);
    expect(JSON.parse((await ask('GET', '/sandbox/inbox/paged')).text)).toEqual(before);
    expect((await ask('POST', '/inbox/paged', { headers: JSON_TYPE, body: '{"answer":"500"}' })).status).toBe(303);
    expect(JSON.parse((await ask('GET', '/sandbox/inbox/paged')).text)).toMatchObject({ answer: '500' });
  });
});

describe('a large body', () => {
  const large = Buffer.alloc(8 * MEGABYTE, 'a');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const kept = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const OF_NOBODY = [
    ['POST', '/sim/x/2/media/upload', { 'content-type': 'multipart/form-data; boundary=x' }, 401],
    [
      'POST',
      '/sim/x/2/media/upload',
      { 'content-type': 'multipart/form-data; boundary=x', authorization: 'Bearer made-up' },
      401,
    ],
    ['PUT', '/sim/tiktok/video/?upload_id=7&upload_token=x', { 'content-type': 'video/mp4' }, 404],
    [
      'PUT',
      '/sim/youtube/upload/youtube/v3/videos?uploadType=resumable&upload_id=7',
      { 'content-type': 'video/mp4' },
      404,
    ],
    ['POST', '/sim/instagram/ig-api-upload/v25.0/7', { authorization: 'OAuth made-up' }, 401],
    ['POST', '/sim/facebook/video-upload/v25.0/7', { authorization: 'OAuth made-up' }, 401],
    ['POST', '/sim/facebook/v25.0/7/photos', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
    ['POST', '/sandbox/faults', JSON_TYPE, 413],
    ['POST', '/nothing', {}, 413],
  ] as const;

  test.each(OF_NOBODY)(
    'of a stranger gets the same answer as a small one: %s %s %o',
    async (method, path, headers, status) => {
      const told = await ask(method, path, { headers, body: large });
      expect(told.status).toBe(status);
    },
  );

  test('of a stranger takes no memory, even when many come at once', async ({ annotate }) => {
    const before = kept();
    const ends: (() => void)[] = [];
    const held = Array.from({ length: 16 }, () => {
      return new Promise<void>((resolve) => {
        const asked = httpRequest(
          `${base}/sim/x/2/media/upload`,
          { method: 'POST', headers: { 'content-length': large.length } },
          (response) => response.resume(),
        );
        asked.on('error', () => undefined).on('close', resolve);
        asked.write(large.subarray(0, large.length - 1), () => ends.push(() => asked.end('a')));
      });
    });
    await until(() => ends.length === held.length, { what: 'all but the last byte of each was sent', everyMs: 5 });
    const sent = held.length * large.length;
    let more = sent;
    // The collector's own threads return dropped memory, when they are scheduled.
    const givenBack = until(() => (more = kept() - before) < sent / 3, {
      what: 'received bytes are dropped before the last one arrives',
      withinMs: 60_000,
      everyMs: 50,
    });
    await givenBack.finally(() => annotate(`${Math.round(more / MEGABYTE)} MB kept of ${sent / MEGABYTE} MB sent`));
    for (const end of ends) end();
    await Promise.all(held);
  });

  test('of a client with a token is accepted whole', async () => {
    const headers = { authorization: `Bearer ${await token()}`, ...JSON_TYPE };
    const made = await ask('POST', '/sim/x/2/media/upload/initialize', {
      headers,
      body: JSON.stringify({ media_type: 'video/mp4', total_bytes: 4 * MEGABYTE, media_category: 'tweet_video' }),
    });
    const { id } = JSON.parse(made.text).data as { id: string };
    const [head, tail] = [
      '--x\r\nContent-Disposition: form-data; name="segment_index"\r\n\r\n0\r\n--x\r\nContent-Disposition: form-data; name="media"; filename="a"\r\n\r\n',
      '\r\n--x--\r\n',
    ];
    const body = Buffer.concat([Buffer.from(head), large.subarray(0, 4 * MEGABYTE), Buffer.from(tail)]);
    const appended = await ask('POST', `/sim/x/2/media/upload/${id}/append`, {
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
      body,
    });
    expect([appended.status, appended.text]).toEqual([200, expect.stringContaining('expires_at')]);
  });
});
