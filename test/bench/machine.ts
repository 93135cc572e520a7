import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** The machine on which the figures were made. */
export function machine() {
  const [cpu] = cpus();
  return {
    cores: availableParallelism(),
    processor: cpu?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    kernel: readFileSync('/proc/version', 'utf8').split(' ')[2] ?? '',
  };
}

/** The load of the last minute. It shows other work on this machine, but includes the benchmark's own. */
export function load(): number {
  return Math.round(loadavg()[0]! * 100) / 100;
}

const KIB = 1024;

/** Processor time of a process so far, user and kernel, over all living threads, in milliseconds. */
export function cpuMs(pid: number): number {
  // The ticks of stat are 10 ms, as much as ten requests take; the scheduler counts nanoseconds.
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce(
    (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    0,
  );
}

/** Resident bytes now, and their peak since the process began. */
export function memory(pid: number): { readonly residentBytes: number; readonly peakBytes: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * KIB;
  return { residentBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
}

export const MIB = 2 ** 20;
