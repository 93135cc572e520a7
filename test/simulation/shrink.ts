/**
 * Delta debugging (Zeller's ddmin): the shortest list of steps that it finds to fail still, in their order. Leaving out
 * any single one of them no longer fails, unless `maxRuns` were used up before. `fails` must be deterministic.
 */
export async function shrink(
  steps: readonly string[],
  fails: (steps: readonly string[]) => Promise<boolean>,
  maxRuns: number,
): Promise<readonly string[]> {
  let kept = steps;
  let pieces = 2;
  let runs = 0;
  const stillFails = async (some: readonly string[]): Promise<boolean> => ++runs <= maxRuns && (await fails(some));
  if (await stillFails([])) return [];
  while (kept.length > 1 && runs < maxRuns) {
    const size = Math.ceil(kept.length / pieces);
    let smaller: readonly string[] | null = null;
    for (let from = 0; from < kept.length && smaller === null; from += size) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await stillFails(without)) smaller = without;
    }
    if (smaller !== null) {
      kept = smaller;
      pieces = Math.max(2, pieces - 1);
    } else if (size === 1) {
      break;
    } else {
      pieces = Math.min(kept.length, 2 * pieces);
    }
  }
  return kept;
}
