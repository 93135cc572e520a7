import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createAuthority, issueCertificate } from '#adapters/node-crypto/certificates.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { ConfigError, readConfig } from '#config/config.ts';
import { createAppService } from '#services/app/service.ts';
import { shownCertificate } from '#testing/shown-certificate.ts';
import { until } from '#testing/until.ts';
import { createPublicTls } from './public-tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'crier-public-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);
const NAMES = ['127.0.0.1'];
const VALIDITY = { fromMs: Date.now() - 60_000, untilMs: Date.now() + 3_600_000 };
const configOf = () => readConfig({ CRIER_TLS_CERT: path('cert.pem'), CRIER_TLS_KEY: path('key.pem') });
const ports = () => ({ clock: createSystemClock(), reporter: createMemoryReporter() });

function write(): string {
  const { certificate, key } = issueCertificate(createAuthority('Installation', NAMES, VALIDITY), NAMES, VALIDITY);
  writeFileSync(path('cert.pem'), certificate);
  writeFileSync(path('key.pem'), key);
  return certificate;
}

test('a public listener shows a certificate that was renewed to new connections, and keeps the old one while the new can not be used', async () => {
  const first = write();
  const { clock, reporter } = ports();
  const tls = createPublicTls(configOf(), { clock, reporter });
  onTestFinished(() => tls.close());
  const door = { addTo: () => {} };
  const listening = { host: '127.0.0.1', port: 0, tls: tls.listener, trustedProxies: [] };
  const about = { clock, reporter, ids: createSystemIds(), publicUrl: 'https://crier.test' };
  const service = createAppService(door, { ...listening, ...about });
  await service.start();
  onTestFinished(() => service.stop());
  const { port } = service.address();
  expect(await shownCertificate(port)).toBe(first);

  writeFileSync(path('cert.pem'), 'no certificate');
  await until(() => reporter.of('certificates-refused').length > 0, { what: 'the broken file is noticed' });
  expect(await shownCertificate(port)).toBe(first);

  const second = write();
  await until(async () => (await shownCertificate(port)) === second, { what: 'the second certificate', everyMs: 200 });
  expect(reporter.of('certificates-renewed').map(({ facts }) => facts['engine'])).toEqual(['public']);
});

test('files that are no certificate and its key end the start, and are not read for other roles', () => {
  write();
  const other = issueCertificate(createAuthority('Other', NAMES, VALIDITY), NAMES, VALIDITY);
  writeFileSync(path('key.pem'), other.key);
  expect(() => createPublicTls(configOf(), ports())).toThrow(ConfigError);
  expect(() => createPublicTls(configOf(), ports())).toThrow('CRIER_TLS_CERT and CRIER_TLS_KEY are no certificate');
  expect(createPublicTls({ ...configOf(), roles: ['publisher'] }, ports()).listener).toBeNull();
});
