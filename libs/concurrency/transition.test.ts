import { expect, test } from 'vitest';
import { transition, type Transitions } from './transition.ts';

const LAMP: Transitions<'off' | 'on' | 'broken'> = { off: ['on'], on: ['off', 'broken'], broken: ['broken'] };

test('a state that may follow is entered', () => {
  expect(transition('the lamp', LAMP, 'off', 'on')).toBe('on');
  expect(transition('the lamp', LAMP, 'broken', 'broken')).toBe('broken');
});

test.each([
  ['off', 'broken'],
  ['on', 'on'],
  ['broken', 'off'],
] as const)('the way from %s to %s does not exist, and throws', (from, to) => {
  expect(() => transition('the lamp', LAMP, from, to)).toThrow(`the lamp can not go from ${from} to ${to}`);
});
