import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOLS } from '#schemas/http/tools.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { HeadlessPerson } from '#testing/headless-person.ts';
import { AppCredentials, Assistant } from '#testing/mcp-clients.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { runProgram } from './run-program.ts';

const INSPECTOR = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
const HOUR = 3_600_000;
const LIMIT_MS = 120_000;

let crier: CrierUnderTest;
let token: string;
/** The Inspector keeps files of its own in the home folder. */
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'crier-inspector-'));
  crier = await CrierUnderTest.start({ name: 'inspector', env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  const person = new HeadlessPerson(crier);
  const app = new AppCredentials({ person, name: 'Inspector', redirectUri: 'http://127.0.0.1:6276/oauth/callback' });
  app.choice = { permissions: ['posts:publish'] };
  await using assistant = new Assistant('of 2026-07-28', app, `${crier.ready.baseUrl}/mcp`);
  await assistant.connect();
  token = app.held.access_token;
});
afterAll(async () => {
  await crier[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

describe.each(['legacy', 'modern'])('the Inspector in the %s era', (era) => {
  const called = new Set<string>();

  async function inspect(...more: readonly string[]): Promise<any> {
    const server = ['--transport', 'http', '--server-url', `${crier.ready.baseUrl}/mcp`];
    const told = ['--header', `Authorization: Bearer ${token}`, '--protocol-era', era, '--format', 'json', '-q'];
    const args = [INSPECTOR, '--cli', ...server, ...told, '--stored-auth-only', ...more];
    const { exitCode, stdout, stderr } = await runProgram(args, { env: { HOME: home } });
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    return JSON.parse(stdout).result;
  }

  async function call(name: string, sent: object = {}): Promise<any> {
    called.add(name);
    const args = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(sent)];
    return (await inspect(...args)).structuredContent;
  }

  const lists = async (): Promise<void> => {
    const { tools } = await inspect('--method', 'tools/list', '--strict');
    expect(tools.map(({ name }: { readonly name: string }) => name)).toEqual(TOOLS.map(({ name }) => name));
  };

  const schedules = async (): Promise<void> => {
    const scheduledAt = new Date(Date.now() + HOUR).toISOString();
    const channelIds = [crier.ready.demo!.channels['threads']];
    const { post } = await call('schedule_post', { text: `Later, ${era}`, channelIds, scheduledAt });
    expect((await call('get_post', { postId: post.id })).post.id).toBe(post.id);
    expect((await call('list_posts', { limit: 100 })).posts.map(({ id }: { readonly id: string }) => id)).toContain(
      post.id,
    );
    expect((await call('cancel_post', { postId: post.id })).post.variants[0].status).toBe('cancelled');
  };

  const uploads = async (): Promise<void> => {
    const { bytes, contentType } = MEDIA_FIXTURES.photo;
    const asked = { filename: 'a photo.jpg', contentType, bytes: bytes.length };
    const { assetId, uploadUrl } = await call('create_media_upload', asked);
    await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: bytes });
    expect((await call('complete_media_upload', { assetId })).bytes).toBe(bytes.length);
  };

  const publishes = async (): Promise<void> => {
    const { channels } = await call('list_channels');
    const { id } = channels.find(({ network }: { readonly network: string }) => network === 'threads');
    const { post, replayed } = await call('publish_now', { text: `Now, ${era}`, channelIds: [id] });
    expect([post.text, replayed]).toEqual([`Now, ${era}`, false]);
  };

  test(
    'finds no error in the schemas, and calls each of the tools',
    async () => {
      await Promise.all([lists(), schedules(), uploads(), publishes()]);
      expect([...called].sort()).toEqual(TOOLS.map(({ name }) => name as string).sort());
    },
    LIMIT_MS,
  );
});
