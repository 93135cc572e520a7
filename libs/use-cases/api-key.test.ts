import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSystemIds } from '#adapters/system/ids.ts';
import { isMistyped, makeApiKey } from './api-key.ts';

const randomIds = createSystemIds();

test('a new key has the form that scanners look for, and a checksum that fits', () => {
  for (let made = 0; made < 200; made++) {
    const key = makeApiKey(randomIds);
    expect(key).toMatch(/^crier_k_[\w-]{43}[0-9A-Za-z]{6}$/);
    expect(isMistyped(key)).toBe(false);
  }
});

test('its checksum is the CRC-32 of what stands before it, in base 62', () => {
  // By another implementation: zlib.crc32 of Python.
  expect(makeApiKey({ token: () => 'A'.repeat(43) })).toBe(`crier_k_${'A'.repeat(43)}1GqVtj`);
});

test('a key with any one character changed, or two exchanged, is known to be mistyped', () => {
  const key = makeApiKey(randomIds);
  const letter = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  fc.assert(
    fc.property(fc.integer({ min: 'crier_k_'.length, max: key.length - 1 }), letter, (place, instead) => {
      if (key[place] === instead) return;
      expect(isMistyped(key.slice(0, place) + instead + key.slice(place + 1))).toBe(true);
    }),
  );
});

test('keys of the former form, and texts of any other, are not judged by a checksum', () => {
  for (const key of [`crier_${'a'.repeat(43)}`, `crier_${'k_'.repeat(40)}`, 'crier_k_short', ''])
    expect([key, isMistyped(key)]).toEqual([key, false]);
});
