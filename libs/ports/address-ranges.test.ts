import { expect, test } from 'vitest';
import { isAddressRange, isWithin } from './address-ranges.ts';

test.each([
  ['203.0.113.7', true],
  ['203.0.113.0/24', true],
  ['0.0.0.0/0', true],
  ['2001:db8::/32', true],
  ['2001:db8::1', true],
  ['203.0.113.0/33', false],
  ['2001:db8::/129', false],
  ['203.0.113.0/', false],
  ['203.0.113.0/24/1', false],
  ['203.0.113', false],
  ['fe80::1%eth0', false],
  ['example.com', false],
  ['', false],
])('%s is a range: %s', (text, expected) => expect(isAddressRange(text)).toBe(expected));

const RANGES = ['203.0.113.0/24', '198.51.100.7', '2001:db8:1::/48'];

test.each([
  ['203.0.113.200', true],
  ['::ffff:203.0.113.200', true],
  ['203.0.113.200:4711', true],
  ['203.0.114.1', false],
  ['198.51.100.7', true],
  ['198.51.100.8', false],
  ['2001:db8:1:ffff::1', true],
  ['2001:DB8:1::1', true],
  ['[2001:db8:1::1]:4711', true],
  ['2001:db8:2::1', false],
  ['nonsense', false],
  [undefined, false],
])('%s lies in the ranges: %s', (address, expected) => expect(isWithin(RANGES, address)).toBe(expected));

test('no address lies in no ranges', () => expect(isWithin([], '203.0.113.7')).toBe(false));

test('a list of ranges is read once, and names in it hold no address', () => {
  let reads = 0;
  const counted = new Proxy(['203.0.113.0/24', 'example.com', '.test'], {
    get: (list, key, receiver) => {
      if (key === 'filter') reads++;
      return Reflect.get(list, key, receiver);
    },
  });
  expect(['203.0.113.1', '203.0.114.1', '203.0.113.2'].map((one) => isWithin(counted, one))).toEqual([
    true,
    false,
    true,
  ]);
  expect(reads).toBe(1);
});
