import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const everything = ['libs/**/*.test.ts', 'services/**/*.test.ts', 'schemas/**/*.test.ts', 'test/**/*.test.ts'];
/** Real processes of Crier, embedded. What is measured wants the machine for itself; the others share it. */
const guarantees = ['test/guarantees/**/*.test.ts'];
const alone = ['test/guarantees/idle.test.ts'];
const onEngines = [
  '**/*.kafka.test.ts',
  '**/*.cassandra.test.ts',
  '**/*.cluster.test.ts',
  '**/*.registry.test.ts',
  '**/*.s3.test.ts',
];

/** More workers than there are cores, where much of a test is waiting for clocks or engines. */
const mostlyWaiting = { maxWorkers: Math.ceil(availableParallelism() * 1.5) };

export default defineConfig({
  test: {
    // One fewer than there are cores by default, which on two cores is one.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          name: 'unit',
          ...mostlyWaiting,
          include: everything,
          exclude: ['**/node_modules/**', ...onEngines, ...guarantees],
          // Most of a worker's time would go into loading the same modules again for each file.
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'processes',
          include: guarantees,
          exclude: ['**/node_modules/**', ...onEngines, ...alone],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'guarantees',
          include: alone,
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'cluster',
          ...mostlyWaiting,
          include: onEngines,
          globalSetup: ['libs/testing/engines/vitest-setup.ts'],
          // One Kafka and one Cassandra serve all of them; what kills engines starts its own, and mostly waits, so that
          // others run beside it.
          testTimeout: 60_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
