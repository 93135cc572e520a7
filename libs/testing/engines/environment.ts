/** Whether long runs are wanted (`make soak`). */
export function soak(): boolean {
  return (process.env['CRIER_TEST_SOAK'] ?? '') !== '';
}

/** What a child process takes over from this one: everything but settings of Crier, so that a shell's leave no mark on a test. */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('CRIER_') || value === undefined ? [] : [[name, value]])));
}
