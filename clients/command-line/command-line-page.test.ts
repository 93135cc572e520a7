import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandLinePage } from './command-line-page.ts';

test('docs/command-line.md has the help of today’s verbs: run npm run docs after a change', () => {
  expect(readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')).toBe(commandLinePage());
});
