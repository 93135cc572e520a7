import { expect, test } from 'vitest';
import { returnPathOf } from './return-path.ts';

const OWN = 'https://crier.test';

test.each([
  ['/app', '/app'],
  ['/oauth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fevil.example', null],
  ['/oauth/consent/1-2?a=%2F%2Fb', '/oauth/consent/1-2?a=%2F%2Fb'],
  ['/a/../b', '/b'],
  ['/%2f%2fevil.example', '/%2f%2fevil.example'],
  ['/@evil.example', '/@evil.example'],
  ['/app#part', '/app'],
])('%s is a path of ours', (given, path) => {
  expect(returnPathOf(given, OWN)).toBe(path ?? given);
});

test.each([
  null,
  '',
  'app',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\nLocation: https://evil.example',
  ' //evil.example',
  '/ /evil.example',
  '/\u0000',
  '/\u202e',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '/./\\evil.example',
  'https://evil.example',
  'https:evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '@evil.example',
  ':80@evil.example/',
  '.evil.example',
  '%2f%2fevil.example',
  `/${'a'.repeat(4_001)}`,
])('%j leads nowhere', (given) => {
  expect(returnPathOf(given, OWN)).toBeNull();
});

test('below a path of the installation no other path of its host is reached', () => {
  const below = 'https://crier.test/crier';
  expect(returnPathOf('/app', below)).toBe('/app');
  for (const given of ['/../app', '/%2e%2e/app', '/../crier-other/app', '/..'])
    expect(returnPathOf(given, below)).toBeNull();
  expect(returnPathOf('/../crier/app', below)).toBe('/app');
});

test('a path that is taken leads to our own host in every browser', () => {
  for (const given of ['/app', '/@evil.example', '/%5cevil.example', '/;//x', '/?//evil.example'])
    expect(new URL(OWN + returnPathOf(given, OWN)!).host).toBe('crier.test');
});
