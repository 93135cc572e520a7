import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { childrenSeconds, processorSeconds } from './processor-time.ts';

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

test.skipIf(!existsSync('/proc/self/stat'))('a process is counted with its children', () => {
  const before = processorSeconds()!;
  const from = process.cpuUsage();
  while (process.cpuUsage(from).user < 100_000);
  const own = processorSeconds()!;
  expect(own - before).toBeGreaterThanOrEqual(0.09);
  execFileSync(process.execPath, [
    '-e',
    'const from = process.cpuUsage(); while (process.cpuUsage(from).user < 200_000);',
  ]);
  expect(processorSeconds()! - own).toBeGreaterThanOrEqual(0.19);
});
