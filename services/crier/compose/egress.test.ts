import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '#config/config.ts';
import { startMisbehavingReceiver } from '#testing/misbehaving-receiver.ts';
import { createEgress, type EgressOptions } from './egress.ts';

const egressOf = (entries: string, own: EgressOptions['own'] = () => []) =>
  createEgress(readConfig({ CRIER_EGRESS_OVERRIDES: entries }), {
    own,
    userAgent: 'crier/1.2.3 (+https://crier.test)',
  });

test('a name of CRIER_EGRESS_OVERRIDES is connected to where it says, and its certificate is checked against what the machine trusts', async () => {
  await using receiver = await startMisbehavingReceiver();
  const egress = egressOf(`Hooks.Test=127.0.0.1:${receiver.override.port}`);
  await expect(egress.send({ method: 'GET', url: receiver.url, timeoutMs: 10_000 })).rejects.toThrow(
    'hooks.test has a certificate that can not be trusted',
  );
  expect([receiver.connections(), receiver.requests]).toEqual([1, []]);
});

test('an authority in NODE_EXTRA_CA_CERTS is trusted', async () => {
  await using receiver = await startMisbehavingReceiver();
  const folder = mkdtempSync(join(tmpdir(), 'egress-'));
  try {
    writeFileSync(join(folder, 'ca.pem'), receiver.override.ca!);
    const child = [join(import.meta.dirname, 'egress.child.ts'), `hooks.test=127.0.0.1:${receiver.override.port}`];
    const { stdout } = await promisify(execFile)(process.execPath, child, {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
    });
    expect(stdout).toBe('204');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a name that the process serves itself is reached as soon as it listens, and its User-Agent says who asks', async () => {
  await using receiver = await startMisbehavingReceiver();
  const served: (typeof receiver.override)[] = [];
  const egress = egressOf('', () => served);
  const ask = () => egress.send({ method: 'GET', url: receiver.url, timeoutMs: 10_000 });
  await expect(ask()).rejects.toThrow('hooks.test is not a name on the public internet.');
  served.push(receiver.override);
  expect((await ask()).status).toBe(204);
  expect(receiver.requests[0]?.headers['user-agent']).toBe('crier/1.2.3 (+https://crier.test)');
});

test.each([
  ['a.test=127.0.0.1:1,A.test=127.0.0.1:2', /CRIER_EGRESS_OVERRIDES has "a.test" twice/],
  ['a.test=[::1]:65536', /CRIER_EGRESS_OVERRIDES has "a.test=\[::1\]:65536": use name=host:port/],
  ['a.test=127.0.0.1:0', /use name=host:port/],
])('%s is refused', (entries, line) => {
  expect(() => egressOf(entries)).toThrow(ConfigError);
  expect(() => egressOf(entries)).toThrow(line);
});
