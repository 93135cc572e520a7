import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, longest first. They begin a run, so that no core idles at the end of it while another
 * works through one of them. Vitest knows by itself only what an earlier run on the same machine took.
 */
export const LONG_FILES: readonly string[] = [
  'test/history/history.cluster.test.ts',
  'test/guarantees/faults.cluster.test.ts',
  'test/guarantees/restore-experiment.cluster.test.ts',
  'test/guarantees/snapshot-experiment.cluster.test.ts',
  'test/guarantees/secret-change.cluster.test.ts',
  'test/guarantees/releases.cluster.test.ts',
  'test/guarantees/secured-engines.cluster.test.ts',
  'test/guarantees/end-of-access.cluster.test.ts',
  'test/guarantees/rolling-restart.cluster.test.ts',
  'test/guarantees/held.cluster.test.ts',
  'libs/adapters/kafka/log.kafka.test.ts',
  'test/guarantees/recovery.cluster.test.ts',
  'test/guarantees/restore.cluster.test.ts',
  'test/guarantees/sign-in-kill.cluster.test.ts',
  'libs/adapters/cassandra/faults.cassandra.test.ts',
  'libs/codec/registry/confluent.registry.test.ts',
  'test/guarantees/migrate.cluster.test.ts',
  'services/crier/migrate/migrate.cluster.test.ts',
  'test/guarantees/oauth-attacks.test.ts',
  'test/guarantees/backup.test.ts',
  'test/guarantees/kill.test.ts',
  'test/guarantees/start.test.ts',
  'test/guarantees/six-networks.test.ts',
  'test/guarantees/webhooks.test.ts',
  'test/guarantees/media-kill.test.ts',
  'test/guarantees/end-of-access.test.ts',
  'test/guarantees/observation.test.ts',
  'test/guarantees/first-comments.test.ts',
  'test/guarantees/media.test.ts',
  'test/guarantees/command-line.test.ts',
  'test/guarantees/media-poison.test.ts',
  'test/guarantees/releases.test.ts',
  'test/bench/peers/peers.test.ts',
  'test/bench/bench.test.ts',
  'test/simulation/more-worlds.test.ts',
  'test/simulation/simulation.test.ts',
  'libs/adapters/ffmpeg/videos.test.ts',
  'test/scaffold/network.test.ts',
  'test/simulation/planted-bugs.test.ts',
  'helm/rules/one-page.test.ts',
  'services/publisher/publish/fault-matrix.test.ts',
  'libs/media/hostile-videos.test.ts',
  'libs/adapters/ffmpeg/still.test.ts',
  'services/publisher/publish/secrets.test.ts',
  'libs/media/fetch-address.test.ts',
  'test/e2e/renditions.test.ts',
  'services/app/trpc/procedures.test.ts',
  'services/workspace/actor.test.ts',
  'libs/adapters/ffmpeg/loudness.test.ts',
  'libs/runtime/listening.test.ts',
  'libs/adapters/sqlite/log.test.ts',
  'services/publisher/publish/crashes.test.ts',
];

/** The long files first, then the others as Vitest orders them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const index = LONG_FILES.findIndex((file) => moduleId.endsWith(`/${file}`));
  return index === -1 ? LONG_FILES.length : index;
}
