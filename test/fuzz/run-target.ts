import fc, { type Parameters, type RunDetails } from 'fast-check';
import { checkBounded } from './bounds.ts';
import type { FuzzTarget, OpenTarget } from './fuzz-target.ts';

export interface FuzzRun {
  readonly seed: number;
  /** The number of cases; `Infinity` with a `forMs`. */
  readonly cases: number;
  /** No case begins later than this after the first one. */
  readonly forMs: number;
}

export interface FuzzOutcome {
  readonly cases: number;
  /** What broke the property, each with what repeats it. */
  readonly failures: readonly string[];
}

/** Cases between two looks at the clock; sizes of inputs grow within each such run. */
const BATCH = 1_000;
/** A target that fails at once would otherwise fail for an hour. */
const MOST_FAILURES = 5;

/** Runs the kept crashes of the target, then so many new cases. */
export async function fuzz(target: FuzzTarget, { seed, cases: wanted, forMs }: FuzzRun): Promise<FuzzOutcome> {
  const endsAt = performance.now() + forMs;
  const failures = await keptCases(target);
  let cases = 0;
  for (let batch = 0; cases < wanted && performance.now() < endsAt && failures.length < MOST_FAILURES; batch++) {
    const details = await runBatch(target, {
      seed: seed + batch,
      numRuns: Math.min(BATCH, wanted - cases),
      interruptAfterTimeLimit: Math.max(1, endsAt - performance.now()),
      markInterruptAsFailure: false,
    });
    cases += Math.max(1, details.numRuns);
    if (details.failed) failures.push(inWords(target.name, details));
  }
  return { cases, failures };
}

async function keptCases(target: FuzzTarget): Promise<string[]> {
  const failures: string[] = [];
  await using open = await opened(target);
  for (const [crash, input] of Object.entries(open.crashes))
    await checkBounded(open, input).catch((error: unknown) =>
      failures.push(`${target.name}, kept case "${crash}": ${String(error)}`),
    );
  return failures;
}

/** Each batch has a target of its own: what earlier cases left behind in it would otherwise grow for an hour. */
async function runBatch(target: FuzzTarget, parameters: Parameters<[unknown]>): Promise<RunDetails<[unknown]>> {
  await using open = await opened(target);
  return await fc.check(
    fc.asyncProperty(open.inputs, (input) => checkBounded(open, input)),
    parameters,
  );
}

async function opened(target: FuzzTarget): Promise<OpenTarget & AsyncDisposable> {
  const open = await target.open();
  return { ...open, [Symbol.asyncDispose]: async () => open.close?.() };
}

function inWords(name: string, details: RunDetails<[unknown]>): string {
  const { seed, counterexamplePath, counterexample, errorInstance } = details;
  const input = fc.stringify(counterexample?.[0]);
  return [
    `${name}: ${String(errorInstance)}`,
    `  input: ${input.length > 2_000 ? `${input.slice(0, 2_000)}...` : input}`,
    `  again: make fuzz ARGS="--target=${name} --seed=${seed} --cases=${BATCH} --seconds=600" (${counterexamplePath})`,
    errorInstance instanceof Error ? (errorInstance.stack ?? '').split('\n').slice(1, 6).join('\n') : '',
  ].join('\n');
}
