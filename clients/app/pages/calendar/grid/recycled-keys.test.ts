import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recycledKeys } from './recycled-keys.ts';

test('what stays keeps its key, and what comes takes that of what went', () => {
  const first = recycledKeys(['a', 'b', 'c'], new Map());
  const next = recycledKeys(['d', 'b', 'e'], first);
  expect(next.get('b')).toBe(first.get('b'));
  expect(new Set(next.values())).toEqual(new Set(first.values()));
});

test('whatever comes and goes, no two things have one key', () => {
  const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1, maxLength: 6 }), (lists) => {
      let keys: ReadonlyMap<string, number> = new Map();
      for (const list of lists) {
        const before = keys;
        keys = recycledKeys(list, before);
        expect([...keys.keys()].toSorted()).toEqual(list.toSorted());
        expect(new Set(keys.values()).size).toBe(list.length);
        for (const id of list) if (before.has(id)) expect(keys.get(id)).toBe(before.get(id));
      }
    }),
  );
});
