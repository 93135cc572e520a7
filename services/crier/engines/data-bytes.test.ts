import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DataBytes, freeBytes } from './data-bytes.ts';

test('the database and its log are counted at each reading, the stored files after five minutes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-data-bytes-'));
  try {
    let now = 0;
    const bytes = new DataBytes(folder, { monotonic: () => now });
    const read = () => Object.fromEntries(bytes.read().map(({ labels, value }) => [labels.part, value]));
    expect(read()).toEqual({ database: 0 });
    await bytes.settled();
    expect(read()).toEqual({ database: 0, files: 0 });
    writeFileSync(join(folder, 'crier.db'), 'x'.repeat(100));
    writeFileSync(join(folder, 'crier.db-wal'), 'x'.repeat(20));
    mkdirSync(join(folder, 'blobs', 'a'), { recursive: true });
    writeFileSync(join(folder, 'blobs', 'a', 'one'), 'x'.repeat(7));
    writeFileSync(join(folder, 'blobs', 'two'), 'x');
    expect(read()).toEqual({ database: 120, files: 0 });
    now += 5 * 60_000;
    read();
    await bytes.settled();
    expect(read()).toEqual({ database: 120, files: 8 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what is free is told of the disk of a folder, also of one that is not made yet', () => {
  expect(freeBytes(tmpdir())).toBeGreaterThan(0);
  expect(freeBytes(join(tmpdir(), 'not-made', 'yet'))).toBeGreaterThan(0);
});
