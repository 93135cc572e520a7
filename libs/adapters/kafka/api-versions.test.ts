import { expect, test } from 'vitest';
import { oldestVersions, versionTrouble } from './api-versions.ts';

/** The oldest versions that a Kafka 4.0 broker still supports, of those the log uses. */
const KAFKA_4 = new Map([
  [0, 0],
  [1, 4],
  [2, 1],
  [3, 0],
  [8, 2],
  [9, 1],
  [10, 0],
  [11, 2],
  [12, 0],
  [13, 0],
  [14, 0],
  [22, 0],
]);

test('a broker that supports our versions is accepted', () => {
  expect(versionTrouble(KAFKA_4)).toBeNull();
});

test('a broker that dropped a version we need is refused, with the versions it wants', () => {
  expect(versionTrouble(new Map([...KAFKA_4, [0, 9]]))).toContain('Produce (speaks 7, wanted 9 or newer)');
});

test('a broker without a request that we need is refused', () => {
  const without = new Map(KAFKA_4);
  without.delete(22);
  expect(versionTrouble(without)).toContain('InitProducerId (speaks 1, wanted not offered or newer)');
});

test('the answer is decoded as the protocol defines it', () => {
  const body = Buffer.from([0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 9, 0, 11, 0, 2, 0, 5]);
  expect(oldestVersions(body)).toEqual(
    new Map([
      [0, 3],
      [11, 2],
    ]),
  );
  expect(() => oldestVersions(Buffer.from([0, 35, 0, 0, 0, 0]))).toThrow('35');
});
