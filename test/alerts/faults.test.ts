import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALERTS } from '../../helm/rules/rules-file.ts';
import { FAULTS, tableOf } from './faults.ts';

const PAGE = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8');
const [, table = ''] = /<!-- faults -->\n([^]*)<!-- end of faults -->/.exec(PAGE) ?? [];
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test('the page has a row for each fault, with its alert and no page beside it', () => {
  expect(rows.map(([name, alert]) => ({ name, alert }))).toEqual(Object.values(FAULTS));
  for (const [name, alert, severity, , others] of rows) {
    expect(severity, name).toBe(ALERTS.find((each) => each.name === alert)!.severity);
    const pages = [...others!.matchAll(/(\w+) \(page\)/g)].map((match) => match[1]);
    expect(pages, name).toEqual([]);
  }
});

test('rows are in the order of the faults, and say which alerts fired beside the one that was meant', () => {
  const common = { severity: 'ticket', firedAfterSeconds: 1, clearedAfterSeconds: 2, scrapesAnswered: 0.999 };
  const seen = [
    { ...FAULTS.diskFull, ...common, others: [{ name: 'CrierEventLoopSlow', severity: 'ticket' }] },
    { ...FAULTS.networkDown, ...common, others: [] },
  ];
  expect(tableOf(seen).split('\n').slice(2)).toEqual([
    '| A Network answers 500 to every call | CrierNetworkOutOfOrder | ticket | 1 | none | 2 | 100 % |',
    '| The disk is full | CrierDiskFull | ticket | 1 | CrierEventLoopSlow (ticket) | 2 | 100 % |',
  ]);
});
