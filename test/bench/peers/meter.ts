import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyOf } from '../family-memory.ts';
import { cpuMs } from '../machine.ts';

const LOOK_EVERY_MS = 500;
/** Adding up the pages of a process takes the kernel milliseconds, in which it does not run. */
const MEMORY_EVERY_LOOKS = 2;
const KIB = 1024;

/**
 * What processes and all of their descendants use, from `startMeter` to `stop`. Those that end meanwhile keep counting
 * with what they had used when they were last looked at.
 */
export interface Meter {
  /** Processor time so far, in milliseconds. */
  cpuMs(): number;
  /**
   * The greatest sum of proportional set sizes: a page that several processes share counts once, so that the buffers
   * of PostgreSQL are not counted for each connection.
   */
  peakBytes(): number;
  stop(): Promise<void>;
}

/** `pids` is asked at each look, as processes are killed and started again. */
export function startMeter(pids: () => readonly number[]): Meter {
  const used = new Map<number, number>();
  let [peak, looks] = [0, 0];
  const look = (): void => {
    let bytes = 0;
    for (const pid of pids().flatMap((root) => familyOf(root))) {
      used.set(
        pid,
        Math.max(
          used.get(pid) ?? 0,
          ifAlive(() => cpuMs(pid)),
        ),
      );
      if (looks % MEMORY_EVERY_LOOKS === 0) bytes += ifAlive(() => proportionalBytes(pid));
    }
    peak = Math.max(peak, bytes);
    looks++;
  };
  const over = new AbortController();
  const looking = (async () => {
    for (; !over.signal.aborted; await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => {})) look();
  })();
  return {
    cpuMs: () => {
      look();
      return [...used.values()].reduce((sum, each) => sum + each, 0);
    },
    peakBytes: () => peak,
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}

function proportionalBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * KIB;
}

/** 0 for a process that has ended. */
function ifAlive(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}
