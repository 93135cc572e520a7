import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { noDownload } from '#services/sandbox/files/fetch-file.ts';
import { readConfig } from '#config/config.ts';
import { until } from '#testing/until.ts';
import { createEgress } from './egress.ts';
import type { Engine } from '../engines/engine.ts';
import { createSandboxRole } from './sandbox.ts';

let dataDir: string;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'inbox-'))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const configOf = () => readConfig({ CRIER_DATA_DIR: dataDir, CRIER_SANDBOX_PORT: '0' });

const OPTIONS = {
  download: noDownload,
  reporter: createMemoryReporter(),
  addresses: { mediaUrl: 'http://media.test', publicUrl: 'http://crier.test' },
};

/** The clock is half an hour ahead, as an operator may set it: certificates and signatures keep the wall time. */
function roleOf() {
  const engine = { clock: createSystemClock({ aheadMs: 1_800_000 }), ids: createSystemIds() } as Engine;
  const { service, overrides } = createSandboxRole(configOf(), engine, OPTIONS);
  return { service: service!, overrides };
}

test('a delivery to an inbox arrives over https, with a certificate that only this process trusts', async () => {
  const role = roleOf();
  const egress = createEgress(configOf(), { own: () => role.overrides(), userAgent: 'crier/0.0.0' });
  const send = (name: string) =>
    egress.send({
      method: 'POST',
      url: `https://inbox.sandbox/${name}`,
      body: Buffer.from('{"id":"e1"}'),
      timeoutMs: 10_000,
    });
  await expect(send('orders')).rejects.toThrow('inbox.sandbox is not a name on the public internet.');
  await role.service.start();
  try {
    expect((await send('orders')).status).toBe(200);
    const seen = (await (await fetch(`${role.service.address()}/sandbox/inbox/orders`)).json()) as {
      letters: { body: string; receivedAt: string }[];
    };
    expect(seen.letters).toMatchObject([{ body: '{"id":"e1"}' }]);
    expect(Math.abs(Date.parse(seen.letters[0]!.receivedAt) - Date.now())).toBeLessThan(600_000);
    const { port } = role.overrides()[0]!;
    const stranger = createEgress(readConfig({ CRIER_EGRESS_OVERRIDES: `inbox.sandbox=127.0.0.1:${port}` }), {
      own: () => [],
      userAgent: 'crier/0.0.0',
    });
    await expect(
      stranger.send({ method: 'GET', url: 'https://inbox.sandbox/orders', timeoutMs: 10_000 }),
    ).rejects.toThrow('certificate that can not be trusted');
  } finally {
    await role.service.stop();
  }
});

test('an inbox that hangs closes its connections when the sandbox drains', async () => {
  const role = roleOf();
  const egress = createEgress(configOf(), { own: () => role.overrides(), userAgent: 'crier/0.0.0' });
  await role.service.start();
  const address = role.service.address();
  await fetch(`${address}/sandbox/inbox/slow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"answer":"hang"}',
  });
  const answered = egress.send({ method: 'POST', url: 'https://inbox.sandbox/slow', timeoutMs: 60_000 }).then(
    () => 'answered',
    (error: Error) => error.message,
  );
  await until(
    async () => ((await (await fetch(`${address}/sandbox/inbox/slow`)).json()) as { received: number }).received === 1,
    { what: 'the letter is there' },
  );
  await role.service.drain();
  expect(await answered).toBe('inbox.sandbox closed the connection before its answer was whole');
  expect(role.overrides()).toEqual([]);
  await role.service.stop();
});

test('the authority is made once, readable by its owner only, and stays the same', async () => {
  const authorityOf = async (): Promise<string | undefined> => {
    const role = roleOf();
    await role.service.start();
    const [override] = role.overrides();
    await role.service.stop();
    return override?.ca;
  };
  const first = await authorityOf();
  expect(first).toMatch(/BEGIN CERTIFICATE/);
  expect(await authorityOf()).toBe(first);
  const path = join(dataDir, 'inbox-authority.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toContain('PRIVATE KEY');
});

test('where Networks are live, or the role is off, there is neither a sandbox nor an inbox', () => {
  const live = readConfig({
    CRIER_DATA_DIR: dataDir,
    CRIER_NETWORKS: 'live',
    CRIER_X_CLIENT_ID: 'id',
    CRIER_X_CLIENT_SECRET: 'secret',
  });
  for (const config of [live, { ...configOf(), roles: ['publisher' as const] }]) {
    const { service, overrides } = createSandboxRole(config, {} as Engine, OPTIONS);
    expect([service, overrides(), readdirSync(dataDir)]).toEqual([null, [], []]);
  }
});
