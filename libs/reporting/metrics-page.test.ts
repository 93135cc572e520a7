import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricsPage } from './metrics-page.ts';

test("docs/metrics.md is today's: npm run docs writes it", () => {
  expect(readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')).toBe(metricsPage());
});
