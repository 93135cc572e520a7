import assert from 'node:assert/strict';
import type { MemoryReporter } from '#adapters/memory/reporter.ts';

/** A request without an answer would otherwise hold the run until it is stopped. */
const PATIENCE_MS = 30_000;

export async function answeredInTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer came within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** How many failures were looked at, so that one belongs to the case that caused it, also while it is made smaller. */
const looked = new WeakMap<MemoryReporter, number>();

/** What is reported as a failure is a defect of Crier, or an engine that is away: nothing that a request can cause. */
export function assertNoFault(reporter: MemoryReporter): void {
  const failures = reporter.failures();
  const since = failures.slice(looked.get(reporter) ?? 0);
  looked.set(reporter, failures.length);
  assert.deepEqual(since, [], 'a failure was reported');
}
