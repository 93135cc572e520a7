import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createAuthority, issueCertificate } from '#adapters/node-crypto/certificates.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { createAnswerHints } from '#adapters/trpc/answers.ts';
import { readConfig } from '#config/config.ts';
import { callAdmin } from '#services/admin/client.ts';
import { openAdminHarness } from '#services/admin/admin-harness.fixture.ts';
import { createOpsServer } from '#services/ops/server.ts';
import { shownCertificate } from '#testing/shown-certificate.ts';
import { until } from '#testing/until.ts';
import { createAdminTls } from './admin-tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'crier-admin-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);
const VALIDITY = { fromMs: Date.now() - 60_000, untilMs: Date.now() + 3_600_000 };
const NAMES = ['127.0.0.1'];
const TOKEN = 'an-admin-token-of-tests';

function write(authority = createAuthority('Installation', NAMES, VALIDITY)): string {
  const { certificate, key } = issueCertificate(authority, NAMES, VALIDITY);
  writeFileSync(path('ca.pem'), authority.certificate);
  writeFileSync(path('cert.pem'), certificate);
  writeFileSync(path('key.pem'), key);
  return certificate;
}

test('admin, probes and hints speak HTTPS under a private authority, and go on when all is renewed', async () => {
  const first = write();
  const config = readConfig({
    CRIER_ADMIN_TLS_CERT: path('cert.pem'),
    CRIER_ADMIN_TLS_KEY: path('key.pem'),
    CRIER_ADMIN_TLS_CA: path('ca.pem'),
  });
  await using harness = await openAdminHarness();
  const clock = createSystemClock();
  const reporter = createMemoryReporter();
  const tls = createAdminTls(config, { clock, reporter });
  const heard: string[] = [];
  const server = createOpsServer({
    ...{ host: '127.0.0.1', port: 0, tls: tls.server, internalTokens: [TOKEN], registry: null, reporter },
    strangers: { take: () => null },
    operators: [{ name: 'ada', role: 'operate', token: TOKEN }],
    health: async () => ({ ready: true, checks: [] }),
    hanging: () => [],
    metrics: { text: async () => '', contentType: 'text/plain' },
    answers: createAnswersRouter(({ requestId }) => heard.push(requestId)),
    router: harness.router,
    contextOf: () => ({ operator: null, keep: async () => {} }),
  });
  await server.start();
  const { url, port } = server.address();
  expect(url).toBe(`https://127.0.0.1:${port}`);
  const hints = createAnswerHints({
    ...{ ownUrl: 'https://10.0.0.1', internalToken: TOKEN, hear: () => {}, clock, reporter, fetch: tls.fetch },
    standing: () => 'known',
  });
  const works = async (requestId: string): Promise<void> => {
    expect(await tls.fetch(`${url}/health/ready`)).toMatchObject({ status: 200 });
    const status = await callAdmin({ url, token: TOKEN, fetch: tls.fetch }, 'system.status', undefined);
    expect(status).toMatchObject({ ok: true });
    hints.answer(url, { requestId, result: { ok: true, kind: 'done' } });
    await until(() => heard.includes(requestId), { what: 'the hint' });
  };
  await works('first');
  // A client that does not name the authority gets an error, and sends no token.
  expect(await callAdmin({ url, token: TOKEN }, 'system.status', undefined)).toMatchObject({
    ok: false,
    reason: 'UNREACHABLE',
  });
  const second = write();
  await until(() => reporter.of('certificates-renewed').length > 0, { what: 'the renewal', withinMs: 90_000 });
  expect(second).not.toBe(first);
  expect(await shownCertificate(port)).toBe(second);
  await works('second');
  await server.stop();
  await tls.close();
  hints.stop();
});
