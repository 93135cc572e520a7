import type { OpenTarget } from './fuzz-target.ts';

/**
 * What a tenant sends may hold the event loop for 10 ms; the factor is for slow machines. Processor time is counted, as
 * a busy machine must not fail a test.
 */
const LOOP_MS = 10 * 5;
/** Up to this size an input is of normal size. Larger ones may take longer, in proportion. */
const NORMAL_BYTES = 65_536;
/** A collection of garbage or a compilation may fall into one run of a case, not into all. */
const TRIES = 4;
/** What one case may add to the peak of resident memory, and how many times its size in addition to that. */
const MEMORY_BYTES = 128_000_000;
const MEMORY_FACTOR = 100;

/** Checks the property for one input, and that the check was short and small. Throws what does not hold. */
export async function checkBounded<Input>(target: OpenTarget<Input>, input: Input): Promise<void> {
  const size = target.sizeOf(input);
  const allowedMs = (target.allowedMs ?? LOOP_MS) * Math.max(1, size / NORMAL_BYTES);
  const peak = peakBytes();
  let took = await timed(target, input);
  for (let tries = 1; took > allowedMs && tries < TRIES; tries++) took = Math.min(took, await timed(target, input));
  if (took > allowedMs)
    throw new Error(`it took ${took.toFixed(0)} ms of processor time; ${allowedMs.toFixed(0)} ms are allowed`);
  const grown = peakBytes() - peak;
  if (grown > MEMORY_BYTES + size * MEMORY_FACTOR) throw new Error(`it took ${Math.round(grown / 1e6)} MB of memory`);
}

async function timed<Input>(target: OpenTarget<Input>, input: Input): Promise<number> {
  const before = process.threadCpuUsage();
  await target.check(input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1_024;
}
