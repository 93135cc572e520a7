import { expect, test } from 'vitest';
import { shownAppOf } from './shown-app.ts';

/** As long a name as a registration has room for, in marks that normalisation would have to sort. */
const MARKS = `a${'\u0315\u0300'.repeat(16_000)}`;

test('a stranger’s name of marks in a row takes no time that grows with the square of their number', () => {
  const before = process.cpuUsage();
  const { name } = shownAppOf({ clientId: 'a', clientName: MARKS, redirectUri: 'https://app.test/callback' });
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(100);
  expect([...name]).toHaveLength(60);
});

test('a name is shown in NFC', () => {
  const { name } = shownAppOf({ clientId: 'a', clientName: 'Cafe\u0301', redirectUri: 'https://app.test/callback' });
  expect(name).toBe('Café');
});
