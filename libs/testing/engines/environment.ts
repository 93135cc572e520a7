/** Whether the long form of tests runs (`make soak`). */
export function soak(): boolean {
  return (process.env['CRIER_TEST_SOAK'] ?? '') !== '';
}

/** Duration and seed of a long run: CRIER_TEST_SOAK_SECONDS, else 15 minutes; CRIER_TEST_SEED, else the day's. */
export function soakRun(): { readonly forMs: number; readonly seed: number } {
  const seconds = Number(process.env['CRIER_TEST_SOAK_SECONDS'] ?? 900);
  return {
    forMs: seconds * 1_000,
    seed: Number(process.env['CRIER_TEST_SEED'] ?? Math.floor(Date.now() / 86_400_000)),
  };
}

/** CRIER_TEST_SEED, to repeat a failed run; else `fallback`, or in a long run the run's own seed. */
export function seed(fallback: number): number {
  const given = process.env['CRIER_TEST_SEED'] ?? '';
  return given !== '' ? Number(given) : soak() ? Date.now() % 1_000_000 : fallback;
}

/**
 * The environment for a child process: everything except Crier's settings, so that the settings of a shell do not
 * influence a test.
 */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('CRIER_') || value === undefined ? [] : [[name, value]],
    ),
  );
}
