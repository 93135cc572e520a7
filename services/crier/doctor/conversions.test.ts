import { expect, test } from 'vitest';
import { conversionFindings } from './conversions.ts';

const GIB = 1024 ** 3;
const of = (conversionsAtOnce: number | null, limit: number | null) =>
  conversionFindings(
    { conversionsAtOnce, roles: ['media'] },
    { cores: 8, limitBytes: limit === null ? null : limit * GIB },
    8 * GIB,
  );

test('tells what conversions may take, what comes of less memory, and what to do', () => {
  const facts = (atOnce: number, most: string, has = '8.0') =>
    `${atOnce} at once and 2 more, which may take ${most} GiB at most; there are ${has} GiB of memory`;
  const found = (detail: string) => [{ check: 'conversions', ok: true, detail }];
  expect(of(1, null)).toEqual(found(facts(1, '7.8')));
  const tried =
    'a tool that finds none is ended, and its job tried again; set CRIER_CONVERSIONS_AT_ONCE lower, or give it more';
  expect(of(null, null)).toEqual(found(`${facts(8, '20.2')}: ${tried}`));
  const ended = 'the container may be ended; set CRIER_CONVERSIONS_AT_ONCE lower, or give it more';
  expect(of(8, 8)).toEqual(found(`${facts(8, '20.2')}: ${ended}`));
  expect(of(null, 4)).toEqual(found(`${facts(1, '7.8', '4.0')}: the container may be ended; give it more`));
  expect(conversionFindings({ conversionsAtOnce: null, roles: ['ingress'] })).toEqual([]);
});
