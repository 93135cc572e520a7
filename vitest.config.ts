import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/run/long-first.ts';
import { filesLeftOut } from './test/run/only-in-ci.ts';

const rooms = ['libs', 'services', 'clients', 'schemas', 'helm', 'deploy', 'test'];
const everything = rooms.map((room) => `${room}/**/*.test.ts`);
/** Real processes of Crier, embedded. What is measured wants the machine for itself; the others share it. */
const guarantees = ['test/guarantees/**/*.test.ts'];
const inChromium = [
  'app-access',
  'app-calendar',
  'app-compose',
  'app-frame',
  'app-journey',
  'app-post',
  'app-team',
  'developers-page',
];
/** A browser, a server and a worker each want a core: two of these at once would wait for each other. */
const alone = ['idle', ...inChromium].map((name) => `test/guarantees/${name}.test.ts`);
const onEngines = [
  '**/*.kafka.test.ts',
  '**/*.cassandra.test.ts',
  '**/*.cluster.test.ts',
  '**/*.registry.test.ts',
  '**/*.s3.test.ts',
];

const never = ['**/node_modules/**', ...filesLeftOut()];

/** A cluster of Kubernetes in namespaces of its own: `make kubernetes` makes them. */
const onKubernetes = 'test/kubernetes/**/*.kubernetes.test.ts';
/** Faults of whole installations that a Prometheus watches: a quarter of an hour, by a verb of its own. */
const watched = ['test/alerts/**/*.live.test.ts'];

/** More workers than there are cores, where much of a test is waiting for clocks or engines. */
const mostlyWaiting = { maxWorkers: Math.ceil(availableParallelism() * 1.5) };

/** A machine that others keep busy is slow: only what never comes ends a wait. Two cores need two minutes for some. */
const patience = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } };

/** Of all suites of `make test`. */
const shared = {
  ...patience,
  // Files share their worker's process: else most of its time would go into loading the same modules again for each.
  isolate: false,
  // What a worker loads was stripped of its types by a former run, unless it has changed since.
  fsModuleCache: true,
  // What each file takes of the processor: `make test` ends with the dearest.
  setupFiles: ['test/run/measure-file.ts'],
};

export default defineConfig({
  test: {
    // One fewer than there are cores by default, which on two cores is one.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          ...mostlyWaiting,
          include: everything,
          exclude: [...never, ...onEngines, ...guarantees, ...watched, onKubernetes],
          ...shared,
        },
      },
      {
        test: {
          name: 'processes',
          include: guarantees,
          exclude: [...never, ...onEngines, ...alone],
          ...shared,
        },
      },
      {
        test: {
          name: 'guarantees',
          include: alone,
          fileParallelism: false,
          ...shared,
        },
      },
      {
        test: {
          name: 'alerts',
          include: watched,
          maxConcurrency: 3,
          testTimeout: 1_800_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: onEngines,
          exclude: never,
          globalSetup: ['libs/testing/engines/vitest-setup.ts'],
          // One Kafka and one Cassandra serve all of them; what kills engines starts its own. A file takes a third of a
          // core, as it waits for sessions, due times and restarts: two at once leave room for the suites beside them.
          ...shared,
        },
      },
      {
        test: {
          name: 'kubernetes',
          include: [onKubernetes],
          fileParallelism: false,
          bail: 1,
        },
      },
    ],
  },
});
