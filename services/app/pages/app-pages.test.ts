import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as send, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createFrontApp } from '#http-server/front-door.ts';
import { auditPage } from '#testing/page-audit.ts';
import { StrangerLimits } from '#use-cases/stranger-limits.ts';
import { createPeopleWorld, PUBLIC_URL } from '../people/people.fixture.ts';
import { servePeople, type PeopleSite } from '../people/browser.fixture.ts';
import { AppPages } from './app-pages.ts';

const SCRIPT = `console.log('${'the app '.repeat(200)}')\n`;
const HTML =
  '<!doctype html><script type="module" src="./assets/index-B0vX2a_w.js"></script><link rel="stylesheet" href="./assets/index-Ax81-qqq.css"><!--session-->';
/** A name that would end the element that it stands in, and one that means something to String.replace. */
const SESSION = {
  account: { email: 'ada@example.com' },
  workspaces: [{ name: "</script><script>alert(1)</script> $& $'" }],
};
const DATA = /<script type="application\/json" id="session">([^<]*)<\/script>$/;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let folder: string;
let port: number;
let isSignedIn: boolean;
let lookUps: number;
let strangers: StrangerLimits;
let people: PeopleSite;
let end: () => Promise<unknown>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crier-app-pages-'));
  people = await servePeople(createPeopleWorld());
  const sessions = {
    current: async () => (
      lookUps++,
      isSignedIn ? { accountId: 'a', email: 'ada@example.com', sessionHash: 'h' } : null
    ),
  };
  const app = createFrontApp({ trustedProxies: [] });
  const mediaUrl = 'https://media.example/files';
  new AppPages({
    sessions,
    session: async () => SESSION,
    pages: people.people.pages,
    strangers: { take: (address) => strangers.take(address) },
    reporter: createMemoryReporter(),
    folder: join(folder, 'built'),
    publicUrl: PUBLIC_URL,
    mediaUrl,
  }).addTo(app);
  app.use((_request, response) => void response.writeHead(404).end('elsewhere'));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  end = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterAll(async () => {
  await end();
  await people[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  isSignedIn = true;
  lookUps = 0;
  strangers = new StrangerLimits({ monotonic: () => 0 }, 0);
});

/** Sends the path as it is given: nothing normalizes it on the way. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    request.once('error', reject).end();
  });
}

function build(): void {
  const assets = join(folder, 'built/assets');
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(folder, 'built/index.html'), HTML);
  writeFileSync(join(folder, 'built/built-from.json'), '{}');
  writeFileSync(join(folder, 'secret.txt'), 'a secret beside the app');
  writeFileSync(join(assets, 'index-B0vX2a_w.js'), SCRIPT);
  writeFileSync(join(assets, 'index-B0vX2a_w.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(assets, 'index-B0vX2a_w.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(assets, 'index-Ax81-qqq.css'), 'a{}');
}

test('without a build, the page says the command, and needs no restart afterwards', async () => {
  const { status, body } = await ask('/app/calendar');
  expect([status, body.toString()]).toEqual([503, expect.stringContaining('<code>make app</code>')]);
  expect(auditPage(body.toString())).toEqual([]);
  build();
  expect((await ask('/app/calendar')).status).toBe(200);
});

describe('the page', () => {
  test.each(['/app', '/app/', '/app/calendar?view=week', '/app/posts/0192f0c1-7d3e', '/app/no/such/page'])(
    'is given at %s, with who is signed in, and kept nowhere',
    async (path) => {
      const { status, headers, body } = await ask(path);
      expect([status, headers['cache-control'], headers.etag]).toEqual([200, 'no-store', undefined]);
      const html = body.toString();
      expect(html.replace(DATA, '<!--session-->')).toBe(HTML.replaceAll('./', '/app/'));
      expect(JSON.parse(DATA.exec(html)![1]!)).toEqual(SESSION);
      const head = await ask(path, {}, 'HEAD');
      expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, `${body.length}`]);
    },
  );

  test('allows no script, style or request but ours, no frame around it, and no text as script', async () => {
    const { headers } = await ask('/app/calendar');
    const policy = String(headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe|\*|http:/);
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data: https://media.example",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
  });

  test('leads whoever is signed out to signing in, and from there back', async () => {
    isSignedIn = false;
    const { status, headers } = await ask('/app/posts/p1?workspace=w1');
    expect([status, headers.location]).toEqual([
      303,
      `${PUBLIC_URL}/sign-in?return_to=%2Fapp%2Fposts%2Fp1%3Fworkspace%3Dw1`,
    ]);
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('a file', () => {
  const PATH = '/app/assets/index-B0vX2a_w.js';

  test('is kept by browsers for ever, as its name changes with its content, and needs no session', async () => {
    isSignedIn = false;
    const { status, headers, body } = await ask(PATH);
    expect([status, body.toString()]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(SCRIPT.length),
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
  });

  test('costs no look-up, and counts for nothing: it is served at an address that is used up, pages without a session are not', async () => {
    isSignedIn = false;
    strangers = new StrangerLimits({ monotonic: () => 0 }, 20);
    const cookie = `crier_session=${'a'.repeat(64)}.${'b'.repeat(43)}`;
    for (let asked = 0; asked < 40; asked++) expect((await ask(PATH, { cookie })).status).toBe(200);
    expect(lookUps).toBe(0);
    for (let asked = 0; asked < 20; asked++) expect((await ask('/app/calendar', { cookie })).status).toBe(303);
    const refused = await ask('/app/calendar', { cookie });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3']);
    expect(refused.body.toString()).toContain('20 requests a minute without a valid key, token or session');
    expect(auditPage(refused.body.toString())).toEqual([]);
    expect((await ask(PATH)).status).toBe(200);
    isSignedIn = true;
    expect((await ask('/app/calendar', { cookie })).status).toBe(200);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('with Accept-Encoding %s is sent as %s', async (accepted, encoding) => {
    const { headers, body } = await ask(PATH, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-length']).toBe(String(body.length));
    const plain = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    expect(plain.toString()).toBe(SCRIPT);
  });

  test('has an ETag for each form, and only the same form has not changed', async () => {
    const [br, gzip] = await Promise.all(['br', 'gzip'].map((one) => ask(PATH, { 'Accept-Encoding': one })));
    expect(br!.headers.etag).not.toBe(gzip!.headers.etag);
    const tag = br!.headers.etag!;
    expect((await ask(PATH, { 'Accept-Encoding': 'br', 'If-None-Match': tag })).status).toBe(304);
    expect((await ask(PATH, { 'Accept-Encoding': 'gzip', 'If-None-Match': tag })).status).toBe(200);
  });

  test('is answered to HEAD with the same headers and nothing more; other methods are refused', async () => {
    const [whole, head] = await Promise.all([ask(PATH), ask(PATH, {}, 'HEAD')]);
    const { date: _, ...headers } = whole.headers;
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers).toMatchObject({ ...headers });
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers: refused } = await ask(PATH, {}, method);
      expect([status, refused.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  test('that is not of this build is not the page: a tab of an older build learns that it is old', async () => {
    const { status, headers } = await ask('/app/assets/index-00000000.js');
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
  });

  test('of the build that is no part of the app is not served', async () => {
    const { body } = await ask('/app/built-from.json');
    expect(body.toString()).toContain('<!doctype html>');
    expect((await ask('/app/assets/index-B0vX2a_w.js.br')).status).toBe(404);
  });
});

test.each([
  '/app/../secret.txt',
  '/app/assets/../../secret.txt',
  '/app/%2e%2e/secret.txt',
  '/app/assets/%2E%2E/%2e%2e/secret.txt',
  '/app/..%2fsecret.txt',
  '/app/..%5csecret.txt',
  '/app/..\\secret.txt',
  '/app/secret.txt%00.js',
  '/app/%E0%A4%A',
  '/app/assets/index-B0vX2a_w.js/../../../secret.txt',
])('%s leads to no file', async (path) => {
  for (const signedIn of [true, false]) {
    isSignedIn = signedIn;
    const { status, body } = await ask(path);
    expect([status, body.toString()]).toEqual([404, expect.not.stringContaining('a secret')]);
  }
});

test.each(['/app/trpc', '/app/trpc/session.get', '/application', '/apps', '/'])(
  '%s is left to others',
  async (path) => {
    expect((await ask(path)).body.toString()).toBe('elsewhere');
  },
);
