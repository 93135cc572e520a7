import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { describeCosts, readCosts, writeCost } from './file-costs.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crier-costs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the dearest files come first, then nothing but what all took is said of the others', () => {
  const folder = newFolder();
  for (const [name, seconds] of Object.entries({ cheap: 0.25, dear: 61.3, middling: 4 }))
    writeCost(folder, { file: join(process.cwd(), `libs/${name}.test.ts`), seconds });
  expect(describeCosts(readCosts(folder), 2)).toEqual([
    '3 files took 66 s of processor, most of it:',
    '   61.3 s libs/dear.test.ts',
    '    4.0 s libs/middling.test.ts',
  ]);
});

test('a run in which no file ended says nothing', () => {
  expect(describeCosts(readCosts(newFolder()), 12)).toEqual([]);
});
