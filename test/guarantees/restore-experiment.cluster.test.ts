import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { soak } from '#testing/engines/environment.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { judgeRestored, restoredWorld, UNHINDERED } from './restored.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('from embedded to Kafka and Cassandra', () => {
  const name = `experiment_${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'crier-restore-'));
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await dropKeyspace(cassandra.address!, name);
  });

  test(
    '200 Posts due around a backup, restored onto a cluster: released by asking, none is live twice, each tells the truth',
    { timeout: 1_200_000 },
    async ({ annotate }) => {
      await using networks = await CrierUnderTest.start({ name: 'networks', env: UNHINDERED });
      const shared = { ...UNHINDERED, CRIER_SANDBOX_URL: networks.ready.sandboxUrl! };
      await using original = await CrierUnderTest.start({ name: 'original', env: shared });
      const { secret } = JSON.parse(readFileSync(join(original.dataDir, 'secrets.json'), 'utf8')) as { secret: string };
      const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      const env = { ...settings, ...shared, CRIER_SECRET: secret };
      const dataDir = join(folder, 'cluster');
      await using restored = await CrierUnderTest.make({ name, engine: 'cluster', dataDir, env });
      expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
      const file = join(folder, 'backup.tar');
      let kills = 0;
      const site = {
        networks,
        original,
        backUp: async () => {
          rmSync(file, { force: true });
          const made = await runCrier(['backup', `--to=${file}`, `--data-dir=${original.dataDir}`], {});
          expect(made).toMatchObject({ code: 0, stderr: '' });
        },
        restore: async () => {
          const settings = { ...env, CRIER_DATA_DIR: dataDir };
          kills = await restoreKilled(file, settings);
          await restored.start(120_000);
          return restored;
        },
      };
      const world = await restoredWorld(site);
      await restored.admin().call('publishing.release', { restored: { overdue: 'ask' } });
      const counts = await judgeRestored(site, world);
      await annotate(JSON.stringify({ ...counts, kills }));
    },
  );
});

/** How long the try after this one may take: a long run kills it at twice as many places. */
const longer = (ms: number): number => (soak() ? ms + 500 : Math.round(ms * 1.4));

/** Killed with -9 a little later each time, until it comes to its end. Resolves with the number of kills. */
async function restoreKilled(file: string, settings: Readonly<Record<string, string>>): Promise<number> {
  let withinMs = 600;
  for (let kills = 0; ; kills++) {
    const { code, stderr } = await runCrier(['restore', '--engine=cluster', `--from=${file}`], settings, { withinMs });
    // Killed between its last row and its exit it is done, and says so when it is run again.
    if (code === 0 || /is not empty: table/.test(stderr)) return kills;
    expect([code, stderr.replaceAll(/^crier: .*\n/gm, '')]).toEqual([-1, '']);
    withinMs = longer(withinMs);
  }
}
