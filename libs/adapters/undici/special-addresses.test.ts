import { expect, test } from 'vitest';
import { isPublicIp } from './public-address.ts';
import { SPECIAL_RANGES } from './special-addresses.ts';

/** First and last of each range of the registries and of the clouds' documents, written apart from the list. */
const SPECIAL: readonly (readonly [first: string, last: string])[] = [
  ...([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.31.196.0', '192.31.196.255'],
    ['192.52.193.0', '192.52.193.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['192.175.48.0', '192.175.48.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '239.255.255.255'],
    ['240.0.0.0', '255.255.255.255'],
  ] as const),
  ...([
    ['::', '::1'],
    ['::ffff:0:0', '::ffff:ffff:ffff'],
    ['64:ff9b::', '64:ff9b::ffff:ffff'],
    ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['100::', '100::ffff:ffff:ffff:ffff'],
    ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
    ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
    ['2d00::', '2fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['3000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ] as const),
  ...([
    ['168.63.129.16', '168.63.129.16'],
    ['161.26.0.0', '161.26.255.255'],
    ['166.8.0.0', '166.11.255.255'],
    ['199.36.153.4', '199.36.153.11'],
    ['2600:2d00:2:1000::', '2600:2d00:2:1000:ffff:ffff:ffff:ffff'],
    ['2600:2d00:2:2000::', '2600:2d00:2:2000:ffff:ffff:ffff:ffff'],
    ['183.60.82.98', '183.60.82.98'],
    ['183.60.83.19', '183.60.83.19'],
    ['192.80.8.124', '192.80.8.124'],
  ] as const),
];

/** The nearest addresses beside the ranges that servers of the public internet have. */
const PUBLIC: readonly string[] = [
  ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0', '192.31.195.255'],
  ...[
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '203.0.114.0',
    '223.255.255.255',
  ],
  ...['2001:200::1', '2003::1', '2400::1', '2620:4f:7fff::1', '2620:4f:8001::1', '2c0f:ffff::1'],
  ...['168.63.129.15', '161.25.255.255', '161.27.0.0', '166.7.255.255', '166.12.0.0', '199.36.153.3', '199.36.153.12'],
  ...['2600:2d00:2:fff::1', '2600:2d00:2:1001::1', '183.60.82.97', '183.60.83.20', '192.80.8.123', '192.80.8.125'],
];

test.each(SPECIAL)('%s to %s is not of the public internet', (first, last) => {
  expect([isPublicIp(first), isPublicIp(last)]).toEqual([false, false]);
});

test.each(PUBLIC)('%s is', (address) => {
  expect(isPublicIp(address)).toBe(true);
});

test('each range of the list says what it is for, and stands in it once', () => {
  expect(SPECIAL_RANGES.filter(({ use }) => use.length < 10)).toEqual([]);
  expect(new Set(SPECIAL_RANGES.map(({ range }) => range)).size).toBe(SPECIAL_RANGES.length);
});
