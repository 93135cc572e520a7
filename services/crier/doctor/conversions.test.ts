import { expect, test } from 'vitest';
import { conversionFindings } from './conversions.ts';

const of = (conversionsAtOnce: number, gib: number) =>
  conversionFindings({ conversionsAtOnce, roles: ['media'] }, gib * 1024 ** 3).map(({ ok, detail }) => ({
    ok,
    detail,
  }));

test('tells what conversions may take, and names the setting where there is less memory', () => {
  const facts = (atOnce: number, gib: string) =>
    `${atOnce} at once and 2 more, which may take ${gib} GiB at most; there are 8.0 GiB of memory`;
  expect(of(1, 8)).toEqual([{ ok: true, detail: facts(1, '7.8') }]);
  expect(of(8, 8)).toEqual([
    {
      ok: true,
      detail: `${facts(8, '20.2')}: where tools are killed for want of it, set CRIER_CONVERSIONS_AT_ONCE lower, or give it more`,
    },
  ]);
  expect(conversionFindings({ conversionsAtOnce: null, roles: ['ingress'] })).toEqual([]);
});
