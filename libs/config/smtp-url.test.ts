import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { smtpAddressOf } from './smtp-url.ts';

test.each([
  ['smtps://crier:p%40ss@mail.example.com', ['mail.example.com', 465, true, { user: 'crier', password: 'p@ss' }]],
  ['smtp://mail.example.com', ['mail.example.com', 587, false, null]],
  ['smtp://[::1]:2525/', ['::1', 2525, false, null]],
])('%s is a mail server', (text, [host, port, tls, signIn]) => {
  expect(smtpAddressOf(text)).toEqual({ host, port, tls, signIn });
});

test.each([
  'mail.example.com:25',
  'http://mail.example.com',
  'smtp://',
  'smtps://user@mail.example.com',
  'smtps://user:planted%@mail.example.com',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com?pool=true',
])('%s stops the start, and is not repeated', (smtpUrl) => {
  expect(smtpAddressOf(smtpUrl)).toBeNull();
  const reading = () => readConfig({ CRIER_SMTP_URL: smtpUrl, CRIER_MAIL_FROM: 'crier@example.com' });
  expect(reading).toThrow(/^CRIER_SMTP_URL is no address of a mail server: write it as in smtps:/);
  expect(reading).not.toThrow(/planted/);
});

test.each(['crier', 'Crier crier@example.com', 'Crier <crier>', 'a@b\r\nBcc: c@d'])(
  'mail does not come from %j',
  (mailFrom) => {
    const env = { CRIER_SMTP_URL: 'smtp://mail.example.com', CRIER_MAIL_FROM: mailFrom };
    expect(() => readConfig(env)).toThrow(/^CRIER_MAIL_FROM has/);
  },
);

test('mail comes from an address, with or without a name', () => {
  for (const mailFrom of ['crier@example.com', 'Crier <crier@example.com>', '"A, B" <crier@example.com>'])
    expect(readConfig({ CRIER_SMTP_URL: 'smtp://a.example', CRIER_MAIL_FROM: mailFrom }).mailFrom).toBe(mailFrom);
});
