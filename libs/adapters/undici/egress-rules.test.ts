import { expect, test } from 'vitest';
import { UnsafeAddress } from '#ports/public-http.ts';
import { createPublicHttp } from './public-http.ts';

const V4 = '93.184.215.14';
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

/** What a request to `https://<host>/` ends with, where names lead to `addresses`. */
async function endOf(rules: { readonly allow?: string[]; readonly deny?: string[] }, host: string, addresses = [V4]) {
  const reached = new Error('reached');
  // Where the rules let it, the request goes to a proxy that is not there.
  const http = createPublicHttp({
    lookup: async () => addresses,
    rules: { allow: [], deny: [], ...rules },
    proxy: new URL('http://127.0.0.1:9'),
  });
  try {
    await http.send({ method: 'GET', url: `https://${host}/`, timeoutMs: 5_000 });
    throw reached;
  } catch (error) {
    if (error instanceof UnsafeAddress) return error.message.includes('does not allow') ? 'refused' : error.message;
    return 'let';
  } finally {
    await http.close();
  }
}

test.each([
  [{}, 'hooks.example.com', 'let'],
  [{ deny: ['hooks.example.com'] }, 'hooks.example.com', 'refused'],
  [{ deny: ['example.com'] }, 'hooks.example.com', 'let'],
  [{ deny: ['.example.com'] }, 'hooks.example.com', 'refused'],
  [{ deny: ['.example.com'] }, 'HOOKS.example.com', 'refused'],
  [{ deny: ['.example.com'] }, 'example.com', 'refused'],
  [{ deny: ['.example.com'] }, 'badexample.com', 'let'],
  [{ deny: ['93.184.0.0/16'] }, 'hooks.example.com', 'refused'],
  [{ deny: [V4] }, V4, 'refused'],
  [{ deny: ['93.185.0.0/16'] }, 'hooks.example.com', 'let'],
  [{ allow: ['.example.com'] }, 'hooks.example.com', 'let'],
  [{ allow: ['.example.com'] }, 'hooks.example.org', 'refused'],
  [{ allow: ['.example.com'] }, V4, 'refused'],
  [{ allow: ['93.184.0.0/16'] }, 'anything.example.org', 'let'],
  [{ allow: ['93.184.0.0/16'] }, V4, 'let'],
  [{ allow: ['.example.com'], deny: ['93.184.0.0/16'] }, 'hooks.example.com', 'refused'],
  [{ allow: ['.example.com'], deny: ['bad.example.com'] }, 'bad.example.com', 'refused'],
] as const)('with %j a request to %s is %s', async (rules, host, expected) => {
  expect(await endOf(rules as { allow?: string[]; deny?: string[] }, host)).toBe(expected);
});

test('one denied address among those of a name refuses it, and all must be allowed', async () => {
  expect(await endOf({ deny: ['2606:2800::/32'] }, 'hooks.example.com', [V4, V6])).toBe('refused');
  expect(await endOf({ allow: ['93.184.0.0/16'] }, 'hooks.example.com', [V4, V6])).toBe('refused');
  expect(await endOf({ allow: ['93.184.0.0/16', '2606:2800::/32'] }, 'hooks.example.com', [V4, V6])).toBe('let');
  expect(await endOf({ deny: [V6.replace('cb07', 'CB07')] }, 'hooks.example.com', [V6])).toBe('refused');
});

test('what is allowed must be on the public internet all the same', async () => {
  expect(await endOf({ allow: ['10.0.0.0/8', '.example.com'] }, 'hooks.example.com', ['10.0.0.1'])).toContain(
    'not on the public internet',
  );
  expect(await endOf({ allow: ['10.0.0.0/8'] }, '10.0.0.1')).toContain('not on the public internet');
});
