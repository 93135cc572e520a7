import { describe, expect, test } from 'vitest';
import { createHostGuard } from './host-guard.ts';

const OWN = {
  host: '0.0.0.0',
  urls: () => ['https://sandbox.example.com/', 'http://sandbox:8090', 'http://[fd00::7]:8090'],
};
const refusal = (
  host: string | undefined,
  { origin, localAddress = '10.1.2.3' }: { origin?: string; localAddress?: string } = {},
) =>
  createHostGuard(OWN)({
    headers: { ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) },
    localAddress,
  });

describe('a request that names this listener is answered', () => {
  test.each([
    ...['localhost', 'localhost:8090', 'LocalHost.:1', 'crier.localhost', '127.0.0.1:8090', '127.9.9.9', '[::1]:8090'],
    ...['0.0.0.0:8090', 'sandbox.example.com', 'sandbox:8090', 'SANDBOX', '[fd00::7]:8090', '10.1.2.3:8090'],
  ])('Host: %s', (host) => {
    expect(refusal(host)).toBeNull();
  });

  test('at the address that the connection came in at, however the socket writes it', () => {
    expect(refusal('10.9.9.9:8090', { localAddress: '::ffff:10.9.9.9' })).toBeNull();
    expect(refusal('[fd00::9]:8090', { localAddress: 'fd00:0::9' })).toBeNull();
  });

  test.each([
    ['localhost:8090', 'http://localhost:8090'],
    ['sandbox.example.com', 'https://sandbox.example.com'],
    ['127.0.0.1', 'http://127.0.0.1'],
  ])('Host: %s, from its own page, Origin: %s', (host, origin) => {
    expect(refusal(host, { origin })).toBeNull();
  });
});

describe('any other is refused in words', () => {
  test.each([
    ...[
      undefined,
      '',
      'evil.test',
      'evil.test:8090',
      'localhost.evil.test',
      'xlocalhost',
      '127.0.0.1.evil.test',
      '10.1.2.4',
      '128.0.0.1',
      'example.com',
      '[fd00::8]',
    ],
    ...[
      'evil.test@localhost',
      'localhost/',
      'localhost?',
      'localhost#',
      'localhost\\',
      'local host',
      'localhost:port',
      '[::1',
    ],
  ])('Host: %s', (host) => {
    expect(refusal(host)).toMatch(/^This listener answers at its own addresses only/);
  });

  test.each([
    ['localhost:8090', 'http://localhost:3000'],
    ['localhost:8090', 'https://localhost:8090'],
    ['localhost:8090', 'http://127.0.0.1:8090'],
    ['localhost:8090', 'http://evil.test'],
    ['localhost:8090', 'null'],
    ['localhost:8090', ''],
    ['sandbox.example.com', 'https://sandbox.example.com.evil.test'],
    ['evil.test', 'http://evil.test'],
  ])('Host: %s, Origin: %s', (host, origin) => {
    expect(refusal(host, { origin })).toMatch(/^This listener answers /);
  });
});
