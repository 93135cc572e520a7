import { describe, expect, test } from 'vitest';
import { createScrub } from './scrub.ts';

const KNOWN = 'pa$$ "wörd" of our own';
const TOKEN = 'Zq8vXw3RtY6uIo1PaS4dFg7HjK0lZx2Cv5Bn9Mq8vXw';

describe('what a bundle leaves out', () => {
  test.each([
    ['as it is', KNOWN],
    ['in JSON', JSON.stringify({ password: KNOWN })],
    ['in an address', `https://h.test/?password=${encodeURIComponent(KNOWN)}`],
    ['in base64', `Basic ${Buffer.from(KNOWN).toString('base64')}`],
    ['in hex', Buffer.from(KNOWN).toString('hex')],
  ])('a known secret %s', (_, text) => {
    const scrubbed = createScrub([KNOWN])(`before ${text} after`);
    for (const form of [
      KNOWN,
      'wörd',
      'w%C3%B6rd',
      Buffer.from(KNOWN).toString('base64'),
      Buffer.from(KNOWN).toString('hex'),
    ])
      expect(scrubbed).not.toContain(form);
    expect(scrubbed).toMatch(/^before .*\[.* after$/s);
  });

  test.each([
    ['the token of a header', `authorization: Bearer ${TOKEN}`, TOKEN],
    ['a short one too', 'Authorization: Bearer abc.def-1', 'abc.def-1'],
    ['an API key', `refused crier_${TOKEN}`, TOKEN],
    ['the secret of an endpoint', 'signed with whsec_Abcdefghij0123456789klmnop', 'Abcdefghij0123456789'],
    ['a sealed value', 'row v1.0a1b2c3d.AAAAbbbbCCCCdddd1111-_eeee of', 'AAAAbbbb'],
    ['who signs in at an address', 'https://ada:s3cret-word@db.test/x', 's3cret-word'],
    ['what is asked of an address', 'GET https://h.test/cb?code=abcdefg&state=1 failed', 'abcdefg'],
    ['a setting of a client', 'sasl.jaas.config username="u" password="hunter2 too";', 'hunter2'],
    ['an e-mail address', 'mail to ada.lovelace+x@mail.example.test bounced', 'lovelace'],
    ['a token of any maker', `remote said ${TOKEN}`, TOKEN],
    ['a key in PEM', '-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----', 'MIIabc'],
  ])('%s', (_, text, secret) => {
    const json = JSON.stringify({ text });
    expect(createScrub([])(text)).not.toContain(secret);
    expect(JSON.parse(createScrub([])(json)).text).not.toContain(secret);
  });

  test('and nothing that says where things are', () => {
    const kept = [
      'crier_network_request_duration_seconds_bucket{network="x",operation="publish",le="0.5"} 12',
      'postId 01930000-0000-7000-8000-000000000200 of workspace.commands.v1 partition 12',
      'crier-workspace-6d5f8c9b7-x2x9q at http://10.0.0.7:8081',
      '{"secret":"current","keys":[{"key":"0a1b2c3d"}],"at":"2026-11-20T12:00:00.000Z"}',
      '1763640000000-0123456789abcdef',
    ];
    for (const text of kept) expect(createScrub(['', 'x', 'abc'])(text)).toBe(text);
  });
});
