import { expect, test } from 'vitest';
import { prune, readFieldTree } from './field-tree.ts';

const shown = (tree: ReadonlyMap<string, unknown> | null): unknown =>
  tree === null
    ? null
    : Object.fromEntries([...tree].map(([name, within]) => [name, shown(within as ReadonlyMap<string, unknown>)]));

test.each([
  ['', {}],
  [' ', {}],
  ['id', { id: {} }],
  ['id, name', { id: {}, name: {} }],
  ['a{b,c{d}},e', { a: { b: {}, c: { d: {} } }, e: {} }],
  ['a{b{c}}', { a: { b: { c: {} } } }],
  ['picture.type(large){url},posts.limit(5).since(0){id}', { picture: { url: {} }, posts: { id: {} } }],
])('%j is parsed', (text, tree) => {
  expect(shown(readFieldTree(text))).toEqual(tree);
});

test.each([
  ',',
  'a,',
  'a{',
  'a}',
  'a{}',
  'a{b',
  'a{b}}',
  'a{b,}',
  'a b',
  'a{b}c',
  'a.b',
  'a.b(',
  '{a}',
  'ä',
  'a{a{a{a{a{a{a{a}}}}}}}',
  'a{'.repeat(50_000),
])('%.20s is refused', (text) => {
  expect(readFieldTree(text)).toBeNull();
});

test('of a value, the requested fields stay, and the ids of elements', () => {
  const value = {
    data: [
      { id: '1', target: { id: '2', url: 'u' }, type: 'photo' },
      { type: 'album', target: { id: '3' } },
    ],
  };
  expect(prune(value, readFieldTree('target{id}')!)).toEqual({
    data: [{ id: '1', target: { id: '2' } }, { target: { id: '3' } }],
  });
  expect(prune({ data: { url: 'u', width: 1 } }, readFieldTree('url')!)).toEqual({ data: { url: 'u' } });
  expect(prune(value, new Map())).toBe(value);
  expect(prune('text', readFieldTree('a')!)).toBe('text');
});
