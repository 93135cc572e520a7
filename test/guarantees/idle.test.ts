import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

/** What a start takes of a core of the machine for which the bound was chosen, in milliseconds. */
const START_MS = 1_100;

test('an idle process takes less than 250 MB and 3 % of a core', async ({ annotate }) => {
  await using crier = await CrierUnderTest.start({ env: { CRIER_LOG_LEVEL: 'warn' } });
  const startMs = cpuMs(crier.pid!);
  const most = 0.03 * Math.max(1, startMs / START_MS);
  const measured: string[] = [];
  let cpu = 1;
  for (let attempt = 0; attempt < 4 && cpu >= most; attempt++) {
    const [from, usedBefore] = [performance.now(), cpuMs(crier.pid!)];
    await until(() => performance.now() - from >= 10_000, { what: '10 s', withinMs: 60_000, everyMs: 500 });
    cpu = (cpuMs(crier.pid!) - usedBefore) / (performance.now() - from);
    measured.push(`${(cpu * 100).toFixed(2)} %`);
  }
  const residentMb = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${crier.pid}/status`, 'utf8'))![1]) / 1024;
  await annotate(`idle: ${residentMb.toFixed(0)} MB, CPU ${measured.join(', ')} of a core; a start: ${startMs} ms`);
  expect(residentMb).toBeLessThan(250);
  expect(cpu).toBeLessThan(most);
});

/** User and system time. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
