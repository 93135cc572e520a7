import { expect, test } from 'vitest';
import { createBoundedMap } from './bounded-map.ts';

test('the entry that was used least lately makes room for a new one', () => {
  const map = createBoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
});

test('asking whether an entry is there is no use of it', () => {
  const map = createBoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.has('a')).toBe(true);
  map.set('c', 3);
  expect(map.has('a')).toBe(false);
});

test('each value that leaves is handed to onRemoved, once', () => {
  const removed: string[] = [];
  const map = createBoundedMap<string, string>(2, { onRemoved: (value) => removed.push(value) });
  map.set('a', 'replaced');
  map.set('a', 'crowded out');
  map.set('b', 'deleted');
  map.set('c', 'cleared');
  map.delete('b');
  map.clear();
  expect(removed).toEqual(['replaced', 'crowded out', 'deleted', 'cleared']);
});

test('values may take more of the bound than one, and one above the whole bound is not kept', () => {
  const map = createBoundedMap<string, string>(10, { sizeOf: (value) => value.length });
  map.set('a', '1234');
  map.set('b', '1234');
  map.set('c', '123456');
  expect([...map.keys()].toSorted()).toEqual(['b', 'c']);
  map.set('d', '12345678901');
  expect([...map.keys()].toSorted()).toEqual(['b', 'c']);
});
