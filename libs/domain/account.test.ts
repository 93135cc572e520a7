import { expect, test } from 'vitest';
import { isMailbox } from './account.ts';

test.each([
  'ada@example.com',
  'ada+crier@mail.example.com',
  'ada@exämple.test',
  'ada@xn--exmple-cua.test',
  'ada@localhost',
])('%s is a mailbox as mail servers write it', (email) => expect(isMailbox(email)).toBe(true));

test.each([
  ['wide letters', 'ada@\uff45xample.com'],
  ['letters in circles', 'ada@\u24d4xample.com'],
  ['a letter and its mark apart', 'ada@exa\u0308mple.test'],
  ['a dot at its end', 'ada@example.com.'],
  ['two dots', 'ada@example..com'],
  ['numbers for an address', 'ada@127.1'],
])('a host with %s is another way to write one, and would have a limit of its own', (_what, email) => {
  expect(isMailbox(email)).toBe(false);
});
