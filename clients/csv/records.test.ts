import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordsOf, writeRecords, writeReport } from './records.ts';

test('whatever cells hold, they are read again as they were written', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', ' ', '=', 'é') });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constant('x'), cell, cell), { minLength: 1 }), (rows) => {
      const reading = recordsOf(writeRecords([['one', 'two', 'three'], ...rows]));
      expect(reading.ok && reading.records.slice(1).map(({ cells }) => cells)).toEqual(rows);
    }),
  );
});

test('in a report that a spreadsheet opens, no cell is computed', () => {
  expect(writeReport([['=1+1', '-2', 'a=b']])).toBe("\uFEFF'=1+1,'-2,a=b\r\n");
});
