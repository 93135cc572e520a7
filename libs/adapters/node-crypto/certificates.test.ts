import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { createAuthority, issueCertificate, type KeyAndCertificate } from './certificates.ts';

const YEAR_MS = 365 * 86_400_000;
const NOW = Date.now();
const validity = { fromMs: NOW - 60_000, untilMs: NOW + YEAR_MS };

/** The error of a client that meets this certificate at a server it knows as `servername`; '' when it accepts it. */
async function verdictOf(identity: KeyAndCertificate, ca: string, servername: string): Promise<string> {
  const server = createServer({ cert: identity.certificate, key: identity.key }, (socket) =>
    socket.on('error', () => {}).end(),
  );
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca, servername });
  const verdict = await new Promise<string>((resolve) =>
    socket
      .once('secureConnect', () => resolve(''))
      .once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'UNSPECIFIED' ? error.message : (error.code ?? '')),
      ),
  );
  socket.destroy();
  server.close();
  return verdict;
}

test('a certificate is valid for its names, under its authority, and for nothing else', async () => {
  const authority = createAuthority('An authority, with "marks" + more', ['inbox.sandbox'], validity);
  const other = createAuthority('Another', ['inbox.sandbox'], validity);
  const leaf = issueCertificate(authority, ['inbox.sandbox', 'a.inbox.sandbox'], validity);
  expect(await verdictOf(leaf, authority.certificate, 'inbox.sandbox')).toBe('');
  expect(await verdictOf(leaf, authority.certificate, 'a.inbox.sandbox')).toBe('');
  expect(await verdictOf(leaf, authority.certificate, 'other.sandbox')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await verdictOf(leaf, other.certificate, 'inbox.sandbox')).not.toBe('');
});

test('an authority can not sign for a name outside its constraints', async () => {
  const authority = createAuthority('Narrow', ['inbox.sandbox'], validity);
  expect(
    await verdictOf(issueCertificate(authority, ['bank.example'], validity), authority.certificate, 'bank.example'),
  ).toBe('permitted subtree violation');
});

test.each([
  ['over', { fromMs: NOW - YEAR_MS, untilMs: NOW - 60_000 }, 'CERT_HAS_EXPIRED'],
  ['not begun', { fromMs: NOW + 3_600_000, untilMs: NOW + YEAR_MS }, 'CERT_NOT_YET_VALID'],
])('a validity that is %s makes it invalid', async (_what, own, verdict) => {
  const authority = createAuthority('Timed', ['inbox.sandbox'], validity);
  expect(
    await verdictOf(issueCertificate(authority, ['inbox.sandbox'], own), authority.certificate, 'inbox.sandbox'),
  ).toBe(verdict);
});

test('its fields read back as they were given, before and after the year 2050', () => {
  for (const untilMs of [Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1), Date.UTC(2107, 5, 6, 7, 8, 9)]) {
    const authority = createAuthority('Ångström', ['inbox.sandbox', '10.0.0.1', '2001:db8::1'], {
      fromMs: Date.UTC(2026, 0, 2),
      untilMs,
    });
    const leaf = new X509Certificate(
      issueCertificate(authority, ['inbox.sandbox', '10.0.0.1', '2001:db8::1'], {
        fromMs: Date.UTC(2026, 0, 2),
        untilMs,
      }).certificate,
    );
    expect([leaf.validFromDate, leaf.validToDate]).toEqual([new Date(Date.UTC(2026, 0, 2)), new Date(untilMs)]);
    expect(leaf.subjectAltName).toBe('DNS:inbox.sandbox, IP Address:10.0.0.1, IP Address:2001:DB8:0:0:0:0:0:1');
    expect(leaf.ca).toBe(false);
    const root = new X509Certificate(authority.certificate);
    expect([root.ca, root.checkIssued(root), leaf.checkIssued(root), leaf.verify(root.publicKey)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  }
});

test('serial numbers differ', () => {
  const authority = createAuthority('One', ['a.test'], validity);
  const serials = Array.from(
    { length: 20 },
    () => new X509Certificate(issueCertificate(authority, ['a.test'], validity).certificate).serialNumber,
  );
  expect(new Set(serials).size).toBe(20);
});
