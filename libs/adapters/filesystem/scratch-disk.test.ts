import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { scratchDiskSuite } from '#port-suites/scratch-disk.ts';
import { filesystemScratchDisk } from './scratch-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'crier-test-scratch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const root = (): string => join(folder, String(++count));

scratchDiskSuite('filesystem scratch disk', () => ({ disk: filesystemScratchDisk, root: root() }));

test('no other user of the machine can open what is under way', async () => {
  const own = root();
  await filesystemScratchDisk.makeFolder(own);
  await filesystemScratchDisk.write(join(own, 'file'), Readable.from([Buffer.from('a picture')]));
  expect([own, join(own, 'file')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
});
