import { expect, test } from 'vitest';
import type { ClaimRow } from '#tables/repositories/requests.ts';
import { Claims } from './claims.ts';

const claim = (requestId: string, at: number, about: Partial<ClaimRow> = {}): ClaimRow => ({
  requestId,
  at,
  replica: 'us',
  uses: 1,
  kind: 'claim',
  ...about,
});

test('claims of a minute after the one that is judged are kept for the next, however slow the store was', () => {
  const claims = new Claims('us');
  claims.add([claim('late', 90_000, { replica: 'them' })], 0, 95_000);
  expect(claims.has('late')).toBe(true);
});

test('a claim stamped by a clock that went wrong does not count for longer than a minute', () => {
  const claims = new Claims('us');
  claims.add([claim('far ahead', 3_600_000, { replica: 'them' })], 0, 0);
  expect(claims.uses).toBe(0);
});

test('a refusal holds whichever is read first, it or its claim', () => {
  const claims = new Claims('us');
  claims.add(
    [claim('a', 1), claim('a', 1, { kind: 'refused' }), claim('b', 1, { kind: 'refused' }), claim('b', 1)],
    2,
    2,
  );
  expect(claims.uses).toBe(0);
});

test('own claims leave after a minute, those of others after the skew as well', () => {
  const claims = new Claims('us');
  claims.add([claim('ours', 0), claim('theirs', 0, { replica: 'them' })], 1, 1);
  claims.forget(60_000);
  expect([claims.has('ours'), claims.has('theirs'), claims.nextFreeAt()]).toEqual([false, true, 62_000]);
});

test('every replica sees the same first claims', () => {
  const rows = [claim('c', 5), claim('a', 7), claim('b', 5, { replica: 'them' }), claim('d', 4, { replica: 'them' })];
  const [ours, theirs] = [new Claims('us'), new Claims('them')];
  ours.add(rows, 10, 10);
  theirs.add(rows.toReversed(), 10, 10);
  expect([...ours.first(3)]).toEqual(['d', 'b', 'c']);
  expect([...theirs.first(3)]).toEqual(['d', 'b', 'c']);
});

test('claims count for what they are of, however often they are read, and leave room for those behind that fit', () => {
  const claims = new Claims('us');
  const rows = [
    claim('a', 1, { uses: 5 }),
    claim('b', 2, { uses: 4 }),
    claim('c', 3, { uses: 2, replica: 'them' }),
    claim('d', 4),
  ];
  for (const _ of [1, 2]) claims.add(rows, 10, 10);
  expect([claims.uses, [...claims.first(8)], [...claims.first(5)]]).toEqual([12, ['a', 'c', 'd'], ['a']]);
  claims.refuse(claim('b', 2));
  expect(claims.uses).toBe(8);
  claims.forget(60_001);
  expect(claims.uses).toBe(3);
});

test('how long it takes until there is room for so much', () => {
  const claims = new Claims('us');
  claims.add(
    [claim('a', 1, { uses: 5 }), claim('b', 2, { uses: 4, replica: 'them' }), claim('c', 3, { uses: 2 })],
    10,
    10,
  );
  expect([11, 10, 6, 5, 4, 0, -1].map((most) => claims.atMostAt(most))).toEqual([
    null,
    60_001,
    60_001,
    60_003,
    60_003,
    62_002,
    null,
  ]);
});
