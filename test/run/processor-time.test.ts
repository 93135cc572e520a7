import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { childrenSeconds } from './processor-time.ts';

test.skipIf(!existsSync('/proc/self/stat'))(
  'a child that ended is counted with what it did, not with its waiting',
  () => {
    const work = 'const from = process.cpuUsage(); while (process.cpuUsage(from).user < 200_000);';
    const before = childrenSeconds()!;
    execFileSync(process.execPath, ['-e', work]);
    const worked = childrenSeconds()!;
    execFileSync('sleep', ['0.3']);
    expect(worked - before).toBeGreaterThanOrEqual(0.19);
    expect(childrenSeconds()! - worked).toBeLessThan(0.1);
  },
);

test('a system without the file says nothing', () => {
  expect(childrenSeconds('/no/such/file')).toBeNull();
});
