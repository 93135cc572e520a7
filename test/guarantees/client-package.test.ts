import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chromium } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { runProgram, type ProgramEnd } from './run-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'clients/typescript');
const EXAMPLES = readdirSync(join(PACKAGE, 'examples'));

/** The Node of the machine, which may be older than the one that npm pins. */
const MACHINE_NODE = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path));

describe('the package, built and installed as its users have it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  const installed = join(folder, 'node_modules/@crier/client');
  let server: CrierUnderTest;
  beforeAll(async () => {
    mkdirSync(installed, { recursive: true });
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', PACKAGE, '--outDir', join(installed, 'dist')]);
    cpSync(join(PACKAGE, 'package.json'), join(installed, 'package.json'));
    cpSync(join(PACKAGE, 'examples'), folder, { recursive: true });
    server = await CrierUnderTest.start({ env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const run = (name: string, ...args: string[]): Promise<ProgramEnd> =>
    runProgram([join(folder, name), ...args], {
      env: { CRIER_URL: server.ready.baseUrl!, CRIER_KEY: server.ready.demo!.apiKey },
    });

  test('first-post.ts publishes on both Channels and prints where', async () => {
    const { stdout, stderr } = await run('first-post.ts');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^x: published http/m);
    expect(stdout).toMatch(/^threads: published http/m);
  });

  test('picture.ts uploads with progress and schedules', async () => {
    const path = join(folder, 'photo.jpg');
    cpSync(join(ROOT, 'libs/testing/fixtures/photo.jpg'), path);
    const { stdout, stderr } = await run('picture.ts', path);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^100 %\nscheduled for \d{4}-/m);
    expect(MEDIA_FIXTURES.photo.bytes.length).toBe(readFileSync(path).length);
  });

  test('many-posts.ts creates 120 Posts, and run again none', async () => {
    expect((await run('many-posts.ts')).stdout).toBe(
      '100 of 120\n120 of 120\n120 Posts, of which 0 were there before\n',
    );
    expect((await run('many-posts.ts')).stdout).toContain('120 Posts, of which 120 were there before');
  });

  test('list-and-cancel.ts cancels what says so', async () => {
    const channelIds = [server.ready.demo!.channels['x']];
    const scheduledAt = new Date(Date.now() + 48 * 3_600_000).toISOString();
    for (const text of ['stays', 'goes #cancel']) await server.api().createPost({ text, channelIds, scheduledAt });
    expect((await run('list-and-cancel.ts')).stdout).toBe('cancelled: goes #cancel\n');
  });

  test('the page shows every example as it is', () => {
    const page = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
    for (const name of EXAMPLES)
      expect(page, name).toContain(`\`\`\`ts\n${readFileSync(join(PACKAGE, 'examples', name), 'utf8')}\`\`\``);
  });

  test('imports nothing, and names no module that only some runtimes have', () => {
    for (const file of readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.js'))) {
      const text = readFileSync(join(installed, 'dist', file), 'utf8');
      const imported = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, specifier]) => specifier!);
      expect(imported.filter((specifier) => !specifier.startsWith('./'))).toEqual([]);
    }
  });

  test('works in a browser: a file is uploaded with progress, and a Post made of it', async () => {
    await using chromium = await Chromium.start();
    const { baseUrl, demo } = server.ready;
    const uploaded = await chromium.withTab(async ({ page }) => {
      await page.route('**/with-client/**', (route) => {
        const name = new URL(route.request().url()).pathname.split('/').at(-1)!;
        return name === ''
          ? route.fulfill({ contentType: 'text/html', body: PAGE })
          : route.fulfill({ contentType: 'text/javascript', path: join(installed, 'dist', name) });
      });
      await page.goto(`${baseUrl}/with-client/`);
      await page.waitForFunction('globalThis.client !== undefined');
      return page.evaluate(inBrowser, {
        key: demo!.apiKey,
        channelId: demo!.channels['threads']!,
        photo: [...MEDIA_FIXTURES.photo.bytes],
      });
    });
    expect(uploaded.sent.at(-1)).toBe(MEDIA_FIXTURES.photo.bytes.length);
    expect(uploaded).toMatchObject({ media: ['image'], refused: 'post_refused', verified: 'wrong' });
  });

  test.skipIf(MACHINE_NODE === undefined)('works on the Node of this machine', async () => {
    const program = `
      import { createCrier } from '@crier/client';
      const crier = createCrier({ url: process.env.CRIER_URL, key: process.env.CRIER_KEY });
      const path = ${JSON.stringify(join(ROOT, 'libs/testing/fixtures/photo.jpg'))};
      const { assetId } = await crier.media.upload({ path });
      await crier.media.remove(assetId);
      console.log((await crier.channels.list()).length);`;
    const { stdout } = await promisify(execFile)(MACHINE_NODE!, ['--input-type=module', '--eval', program], {
      cwd: folder,
      env: { CRIER_URL: server.ready.baseUrl!, CRIER_KEY: server.ready.demo!.apiKey },
    });
    expect(stdout).toBe('6\n');
  });
});

const PAGE = `<!doctype html><title>a page</title>
  <script type="module">import * as client from './client.js'; globalThis.client = client;</script>`;

interface BrowserTask {
  readonly key: string;
  readonly channelId: string;
  readonly photo: readonly number[];
}

/** Runs in the page, where nothing of this file is known. */
async function inBrowser({ key, channelId, photo }: BrowserTask) {
  const { location, client } = globalThis as unknown as {
    readonly location: { readonly origin: string };
    readonly client: typeof import('#clients/typescript/client.ts');
  };
  const { createCrier, verifyWebhook } = client;
  const crier = createCrier({ url: location.origin, key });
  const sent: number[] = [];
  const file = new File([new Uint8Array(photo)], 'photo.jpg', { type: 'image/jpeg' });
  const { assetId } = await crier.media.upload({ file, onProgress: ({ sentBytes }) => sent.push(sentBytes) });
  const scheduledAt = new Date(Date.now() + 48 * 3_600_000);
  const post = await crier.posts.create({ text: 'a', channelIds: [channelId], media: [{ assetId }], scheduledAt });
  const codeOf = (error: { code?: string; reason?: string }) => error.code ?? error.reason ?? '';
  const long = { text: 'long '.repeat(200), channelIds: [channelId], scheduledAt };
  const header = `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`;
  return {
    sent,
    media: post.media.map(({ kind }) => kind),
    refused: await crier.posts.create(long).then(() => '', codeOf),
    verified: await verifyWebhook({ secret: 'whsec_a', header, body: '{}' }).then(() => '', codeOf),
  };
}
