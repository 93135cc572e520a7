import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dataPage } from './data-page.ts';

test("docs/data.md is today's: npm run docs writes it", () => {
  expect(readFileSync(new URL('../../../docs/data.md', import.meta.url), 'utf8')).toBe(dataPage());
});
