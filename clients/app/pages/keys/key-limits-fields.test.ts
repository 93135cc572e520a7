import { expect, test } from 'vitest';
import { NO_LIMITS, sentLimits } from './key-limits-fields.tsx';

const NOW = Date.UTC(2026, 10, 20, 12);

test('a key without limits is sent without any', () =>
  expect(sentLimits(NO_LIMITS, NOW)).toEqual({ expiresAt: null, readOnly: false, allowedIps: [] }));

test('days become an instant, and addresses a list, however they are set apart', () =>
  expect(sentLimits({ life: '30', readOnly: true, addresses: ' 203.0.113.7,  2001:db8::/32\t10.0.0.1 ' }, NOW)).toEqual(
    {
      expiresAt: '2026-12-20T12:00:00.000Z',
      readOnly: true,
      allowedIps: ['203.0.113.7', '2001:db8::/32', '10.0.0.1'],
    },
  ));
