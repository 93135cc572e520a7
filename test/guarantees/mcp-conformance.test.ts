import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { freePorts } from '#testing/engines/process.ts';
import { startHeaderProxy, type HeaderProxy } from '#testing/header-proxy.ts';
import { HeadlessPerson } from '#testing/headless-person.ts';
import { AppCredentials, Assistant } from '#testing/mcp-clients.ts';
import { runProgram } from './run-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFORMANCE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED_FAILURES = join(ROOT, 'test/conformance/expected-failures.yml');
const LIMIT_MS = 120_000;
const ALL = ['posts:publish', 'webhooks:manage'];

let crier: CrierUnderTest;
let person: HeadlessPerson;
let results: string;
beforeAll(async () => {
  results = mkdtempSync(join(tmpdir(), 'crier-conformance-'));
  crier = await CrierUnderTest.start({ name: 'conformance', env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  person = new HeadlessPerson(crier);
});
afterAll(async () => {
  await crier[Symbol.asyncDispose]();
  rmSync(results, { recursive: true, force: true });
});

/** Runs the suite; `said` is told what it printed so far. */
const conformance = (args: readonly string[], said?: (output: string) => void) =>
  runProgram([CONFORMANCE, ...args, '--output-dir', results], said && { said });

describe('the protocol’s own suite, as an app', () => {
  let proxy: HeaderProxy;
  beforeAll(async () => {
    const app = new AppCredentials({ person, name: 'Conformance', redirectUri: 'http://127.0.0.1:4000/callback' });
    app.choice = { permissions: ALL };
    await using assistant = new Assistant('of 2026-07-28', app, `${crier.ready.baseUrl}/mcp`);
    await assistant.connect();
    proxy = await startHeaderProxy(crier.ready.baseUrl!, { authorization: `Bearer ${app.held.access_token}` });
  });
  afterAll(() => proxy[Symbol.asyncDispose]());

  test.each([
    ['2026-07-28', 'http-header-validation: 14 passed, 0 failed'],
    ['2025-11-25', 'server-initialize: 2 passed, 0 failed'],
  ])(
    'finds every scenario of %s that applies passed',
    async (revision, sample) => {
      const url = `${proxy.url}/mcp`;
      const args = ['server', '--url', url, '--requirements', revision, '--expected-failures', EXPECTED_FAILURES];
      const { exitCode, stdout: output } = await conformance(args);
      expect(output).toContain(sample);
      expect(output).toMatch(/tools-list: \d passed, 0 failed/);
      expect(output).toContain('dns-rebinding-protection: 2 passed, 0 failed');
      expect([exitCode, output.slice(output.indexOf('=== SUMMARY ==='))]).toEqual([0, expect.any(String)]);
    },
    LIMIT_MS,
  );
});

test(
  'its scenarios for authorization servers pass for a client that registered itself',
  async () => {
    const [port] = (await freePorts(1)) as [number];
    const registered = await fetch(`${crier.ready.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Conformance',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id: clientId } = (await registered.json()) as { readonly client_id: string };
    const { baseUrl } = crier.ready;
    let visited: Promise<unknown> | null = null;
    const visit = (output: string): void => {
      // It may name the address before it listens for the callback, and says when it does.
      const address = new RegExp(`^(${baseUrl}/oauth/authorize\\?\\S+)\n`, 'm').exec(output)?.[1];
      if (address !== undefined && output.includes('Callback server started'))
        visited ??= person.follow(address).then((callback) => fetch(callback));
    };
    const args = ['authorization', '--url', baseUrl!, '--client-id', clientId, '--resource', `${baseUrl}/mcp`];
    const { exitCode, stdout: output } = await conformance([...args, '--port', String(port)], visit);
    await visited;
    expect(output).toMatch(/authorization-server-metadata-endpoint: \d+ passed, 0 failed/);
    expect(output).toMatch(/authorization-code-grant: \d+ passed, 0 failed/);
    expect(exitCode).toBe(0);
  },
  LIMIT_MS,
);
