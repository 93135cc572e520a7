import { defineConfig } from 'vitest/config';

const everything = ['libs/**/*.test.ts', 'services/**/*.test.ts', 'schemas/**/*.test.ts', 'test/**/*.test.ts'];
const onEngines = ['**/*.kafka.test.ts', '**/*.cassandra.test.ts', '**/*.cluster.test.ts', '**/*.registry.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: everything,
          exclude: ['**/node_modules/**', ...onEngines],
          testTimeout: 20_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: onEngines,
          globalSetup: ['libs/testing/engines/vitest-setup.ts'],
          // One Kafka and one Cassandra serve all of them, and fault tests start further ones: one file at a time.
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
