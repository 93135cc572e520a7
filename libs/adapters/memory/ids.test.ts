import { expect, test } from 'vitest';
import { idsSuite } from '#port-suites/ids.ts';
import { createSeededIds } from './ids.ts';

let seed = 1;
idsSuite('seeded ids', () => createSeededIds(seed++));

const drawn = (from: number) => {
  const ids = createSeededIds(from);
  return [ids.uuid7(5), ids.uuid7(5), ids.token(), ids.random()];
};

test('a seed determines every id and number drawn from it', () => {
  expect(drawn(42)).toEqual(drawn(42));
  expect(drawn(43)).not.toEqual(drawn(42));
  expect(drawn(2 ** 40)).not.toEqual(drawn(2 ** 41));
});
