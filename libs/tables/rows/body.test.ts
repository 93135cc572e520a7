import { expect, test } from 'vitest';
import { readsUpTo, RELEASE, WrittenFormat } from '../release.ts';
import { decodeBody, encodeBody, VOID_BODY } from './body.ts';

const stored = (format: number) => ({ body: encodeBody({ kept: true, more: 'of another release' }), format });

test('a row of a later format of the same generation is read, with what it has more', () => {
  for (const format of [1, RELEASE.format + 1, readsUpTo()])
    expect(decodeBody(stored(format))).toEqual({ kept: true, more: 'of another release' });
});

test('a row of a later generation is not taken for garbage: who reads it tries again, and parks nothing', () => {
  const later = readsUpTo() + 1;
  expect(() => decodeBody(stored(later))).toThrow(
    expect.objectContaining({
      name: 'PortError',
      kind: 'unavailable',
      message: expect.stringContaining(`format ${later}`),
    }),
  );
  expect(decodeBody({ body: VOID_BODY, format: later })).toBeNull();
});

test('a process writes the oldest format of its release until it knows better, and never one beyond its release', () => {
  const written = new WrittenFormat({ format: 7, writesFrom: 5 });
  const after = [4, 6, 7, 9, 100].map((format) => (written.learn(format), written.now()));
  expect([new WrittenFormat({ format: 7, writesFrom: 5 }).now(), ...after]).toEqual([5, 5, 6, 7, 7, 7]);
});
