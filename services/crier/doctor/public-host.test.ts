import { expect, test } from 'vitest';
import { isPublicHost } from './public-host.ts';

test.each(['crier.example.com', 'crier.example.com.', '8.8.8.8', '172.32.0.1', '100.128.0.1', '[2606:4700::1111]'])(
  '%s is public',
  (host) => {
    expect(isPublicHost(new URL(`https://${host}`).hostname)).toBe(true);
  },
);

test.each([
  ...['localhost', 'crier', 'crier.local', 'a.internal', 'nas.lan', 'crier.test', 'router.home.arpa'],
  ...[
    '127.0.0.1',
    '127.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '255.255.255.255',
  ],
  ...['[::1]', '[::]', '[fd00::1]', '[fe80::1]', '[::ffff:10.0.0.1]'],
])('%s is not', (host) => {
  expect(isPublicHost(new URL(`https://${host}`).hostname)).toBe(false);
});
