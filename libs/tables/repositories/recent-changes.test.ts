import { expect, test } from 'vitest';
import { boundedIds } from './recent-changes.ts';
import { recentChangeRows } from './recent-changes.fixture.ts';
import { twoMemoryStores, twoSqliteStores } from './two-stores.fixture.ts';

recentChangeRows('memory', twoMemoryStores);
recentChangeRows('SQLite', twoSqliteStores);

test('a hundred Posts are named, and of more it is said that there are many', () => {
  const ids = Array.from({ length: 101 }, (_, index) => `post ${index}`);
  expect(boundedIds(new Set(ids.slice(1)))).toEqual(ids.slice(1));
  expect(boundedIds(new Set(ids))).toBe('all');
});
