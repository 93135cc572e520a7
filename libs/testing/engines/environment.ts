/** Whether long runs are wanted (`make soak`). */
export function soak(): boolean {
  return (process.env['CRIER_TEST_SOAK'] ?? '') !== '';
}

/**
 * Of one long run: how long it lasts (CRIER_TEST_SOAK_SECONDS, else 15 minutes) and by which seed (CRIER_TEST_SEED,
 * else the day's).
 */
export function soakRun(): { readonly forMs: number; readonly seed: number } {
  const seconds = Number(process.env['CRIER_TEST_SOAK_SECONDS'] ?? 900);
  return {
    forMs: seconds * 1_000,
    seed: Number(process.env['CRIER_TEST_SEED'] ?? Math.floor(Date.now() / 86_400_000)),
  };
}

/** CRIER_TEST_SEED, to run again what failed; else `fallback`, or one of its own for a long run. */
export function seed(fallback: number): number {
  const given = process.env['CRIER_TEST_SEED'] ?? '';
  return given !== '' ? Number(given) : soak() ? Date.now() % 1_000_000 : fallback;
}

/**
 * What a child process takes over from this one: everything but settings of Crier, so that a shell's leave no mark on a
 * test.
 */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('CRIER_') || value === undefined ? [] : [[name, value]],
    ),
  );
}
