import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from './lock.ts';

test('of two builds at once one waits for the other, and the lock of a dead process delays no build', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-app-lock-'));
  const path = join(folder, 'app.lock');
  // No process has this id: it is beyond what systems give.
  writeFileSync(path, '99999999');
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all([withLock(path, work), withLock(path, work), withLock(path, work)]);
  expect([most, existsSync(path)]).toEqual([1, false]);
  rmSync(folder, { recursive: true });
});
