import { expect, test } from 'vitest';
import { isolating } from './isolating.ts';

const [FROM, TO] = ['\u2068', '\u2069'];

test('a name from right to left stands for itself, wherever it is in a sentence', () => {
  expect(isolating`Revoke ${'מפתח'}`).toBe(`Revoke ${FROM}מפתח${TO}`);
  // Adlam has its letters beyond U+FFFF.
  expect(isolating`Revoke ${'𞤀𞤣'}`).toBe(`Revoke ${FROM}𞤀𞤣${TO}`);
  expect(isolating`${'قناة'} on ${'X'} is tried again.`).toBe(`${FROM}قناة${TO} on X is tried again.`);
});

test('a name that is written as the sentence is stays as it is, and numbers do', () => {
  expect(isolating`Revoke ${'🎉 新しい'}`).toBe('Revoke 🎉 新しい');
  expect(isolating`Move ${'Café 2.png'}, ${1} of ${3}`).toBe('Move Café 2.png, 1 of 3');
});

test('marks in a name turn nothing around it, and end no more than they begin', () => {
  expect(isolating`Revoke ${'\u202ekey'}, now`).toBe(`Revoke ${FROM}key${TO}, now`);
  expect(isolating`Revoke ${'\u2069\u2069\u202emore'}, now`).toBe(`Revoke ${FROM}more${TO}, now`);
});
