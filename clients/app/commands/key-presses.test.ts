import { expect, test } from 'vitest';
import type { AppCommand } from './commands.ts';
import { addKey, nameOfKey, SEQUENCE_MS, type KeysSoFar } from './key-presses.ts';

const PLAIN = { ctrlKey: false, metaKey: false, altKey: false };
const command = (keys: string): AppCommand => ({ id: keys, name: keys, group: 'Do', keys, run: () => {} });
const COMMANDS = ['g c', 'g p', 'c', '?', 'Mod+k'].map(command);

/** Keys of the commands that these keys run, each some ms after the last. */
function run(presses: readonly (readonly [name: string, afterMs: number])[], commands = COMMANDS): string[] {
  let soFar: KeysSoFar = { keys: [], at: 0 };
  let now = 0;
  return presses.flatMap(([name, afterMs]) => {
    const outcome = addKey(soFar, name, (now += afterMs), commands);
    ({ soFar } = outcome);
    return outcome.command === null ? [] : [outcome.command.keys!];
  });
}

test.each([
  [{ key: 'k', ...PLAIN, ctrlKey: true }, 'Mod+k'],
  [{ key: 'K', ...PLAIN, metaKey: true }, 'Mod+k'],
  [{ key: '?', ...PLAIN }, '?'],
  [{ key: 'J', ...PLAIN }, 'Shift+J'],
  [{ key: 'ArrowDown', ...PLAIN }, 'ArrowDown'],
  [{ key: 'Shift', ...PLAIN }, null],
  [{ key: 'c', ...PLAIN, altKey: true }, null],
])('%o is called %s', (press, name) => {
  expect(nameOfKey(press)).toBe(name);
});

test('a second key soon after the first makes a sequence; alone, each is itself', () => {
  expect(
    run([
      ['g', 0],
      ['c', 200],
    ]),
  ).toEqual(['g c']);
  expect(run([['c', 0]])).toEqual(['c']);
  expect(
    run([
      ['g', 0],
      ['c', SEQUENCE_MS + 1],
    ]),
  ).toEqual(['c']);
});

test('a key that ends no sequence is taken as a new beginning', () => {
  expect(
    run([
      ['g', 0],
      ['x', 100],
      ['c', 100],
    ]),
  ).toEqual(['c']);
  expect(
    run([
      ['g', 0],
      ['g', 100],
      ['p', 100],
    ]),
  ).toEqual(['g p']);
  expect(
    run([
      ['g', 0],
      ['?', 100],
    ]),
  ).toEqual(['?']);
});

test('of two commands with the same keys the newer one is run, as a page stands before the frame', () => {
  const own = { ...command('c'), id: 'of the page' };
  expect(addKey({ keys: [], at: 0 }, 'c', 0, [...COMMANDS, own]).command?.id).toBe('of the page');
});
