import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsPage } from './settings-page.ts';

test("docs/settings.md is today's: npm run docs writes it", () => {
  expect(readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')).toBe(settingsPage());
});
