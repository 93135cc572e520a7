/**
 * What `make ci` runs and `make test` does not, so that `make test` ends within twelve minutes on two cores: whole
 * installations under load, faults, upgrades and restores, videos that are encoded, and measurements, each of which
 * takes more than ten seconds of processor. `make test` keeps what is likeliest to break with a change: nearly every
 * unit test, the simulated worlds, the ports on a real Kafka and Cassandra, the history of a whole cluster under
 * faults, and the kills of one process.
 */
export const ONLY_IN_CI: readonly string[] = [
  'deploy/release/artifacts.test.ts',
  'helm/rules/one-page.test.ts',
  'libs/adapters/ffmpeg/loudness.test.ts',
  'libs/adapters/ffmpeg/still.test.ts',
  'libs/adapters/ffmpeg/videos.test.ts',
  'libs/adapters/s3/blob-store.s3.test.ts',
  'libs/codec/registry/confluent.registry.test.ts',
  'libs/media/hostile-videos.test.ts',
  'test/bench/bench.test.ts',
  'test/bench/peers/measure-peers.test.ts',
  'test/bench/peers/peers.test.ts',
  'test/e2e/renditions.test.ts',
  'test/guarantees/assistants.test.ts',
  'test/guarantees/backup.test.ts',
  'test/guarantees/client-package.test.ts',
  'test/guarantees/command-line.test.ts',
  'test/guarantees/developers-examples.test.ts',
  'test/guarantees/end-of-access.cluster.test.ts',
  'test/guarantees/faults.cluster.test.ts',
  'test/guarantees/first-comments.test.ts',
  'test/guarantees/freezing-files.test.ts',
  'test/guarantees/full-disk.test.ts',
  'test/guarantees/held.cluster.test.ts',
  'test/guarantees/held.test.ts',
  'test/guarantees/image.test.ts',
  'test/guarantees/keys.test.ts',
  'test/guarantees/mcp-conformance.test.ts',
  'test/guarantees/mcp-inspector.test.ts',
  'test/guarantees/media-kill.test.ts',
  'test/guarantees/media-poison.test.ts',
  'test/guarantees/media.test.ts',
  'test/guarantees/migrate.cluster.test.ts',
  'test/guarantees/observation.test.ts',
  'test/guarantees/receivers.test.ts',
  'test/guarantees/recovery.cluster.test.ts',
  'test/guarantees/recovery.test.ts',
  'test/guarantees/releases.cluster.test.ts',
  'test/guarantees/releases.test.ts',
  'test/guarantees/restore-experiment.cluster.test.ts',
  'test/guarantees/restore.cluster.test.ts',
  'test/guarantees/rolling-restart.cluster.test.ts',
  'test/guarantees/secret-change.cluster.test.ts',
  'test/guarantees/secured-engines.cluster.test.ts',
  'test/guarantees/sign-in-kill.cluster.test.ts',
  'test/guarantees/sign-in-kill.test.ts',
  'test/guarantees/six-networks.test.ts',
  'test/guarantees/snapshot-experiment.cluster.test.ts',
  'test/guarantees/start.test.ts',
  'test/guarantees/stored-folder.test.ts',
  'test/guarantees/void-file-addresses.cluster.test.ts',
  'test/guarantees/webhooks.test.ts',
  'test/guarantees/wrong-clock.cluster.test.ts',
  'test/scaffold/network.test.ts',
];

/** Of the present run, from CRIER_TEST_LEAVES_OUT: Vitest's own `--exclude` does nothing where there are projects. */
export function filesLeftOut(): readonly string[] {
  return (process.env['CRIER_TEST_LEAVES_OUT'] ?? '').split(' ').filter((path) => path !== '');
}
