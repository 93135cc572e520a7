import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#config/config.ts';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { startCassandra, type CassandraEngine } from '#testing/engines.ts';
import { sharedKafka } from '#testing/engines/shared.ts';
import { stopWhole } from './quiet-cluster.ts';
import { judgeRestored, restoredWorld, UNHINDERED } from './restored.ts';

const kafka = sharedKafka();

describe.skipIf(kafka.missing !== null)('from a Cassandra to another, and to new topics', () => {
  const name = `snapshot_${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'crier-restore-'));
  let of: CassandraEngine;
  let to: CassandraEngine;
  beforeAll(async () => {
    of = await startCassandra({ isManaged: true });
    to = await startCassandra({ isManaged: true });
  });
  afterAll(async () => {
    await Promise.all([of?.stop(), to?.stop()]);
    rmSync(folder, { recursive: true });
  });

  test(
    '200 Posts due around a snapshot of the nodes, restored: released by asking, none is live twice, each tells the truth',
    { timeout: 1_800_000 },
    async ({ annotate }) => {
      await using networks = await CrierUnderTest.start({ name: 'networks', env: UNHINDERED });
      const shared = { ...UNHINDERED, CRIER_SANDBOX_URL: networks.ready.sandboxUrl! };
      const env = { ...installationSettings({ kafka: kafka.address!, cassandra: of, name }), ...shared };
      const place = { CRIER_CASSANDRA_CONTACT_POINTS: `127.0.0.1:${to.port}`, CRIER_KAFKA_TOPIC_PREFIX: `${name}.b.` };
      const other = { ...env, ...place };
      const succeeds = async (settings: Readonly<Record<string, string>>, ...args: readonly string[]) =>
        expect(await runCrier([args[0]!, '--engine=cluster', ...args.slice(1)], settings)).toMatchObject({ code: 0 });
      await succeeds(env, 'migrate');
      await using original = await CrierUnderTest.start({ name: 'original', engine: 'cluster', env });
      await using restored = await CrierUnderTest.make({ name: 'restored', engine: 'cluster', env: other });
      const mark = join(folder, 'mark.json');
      let tag = 0;
      const site = {
        networks,
        original,
        maxFactor: 1.5,
        backUp: async () => {
          rmSync(mark, { force: true });
          await original.admin().call('publishing.hold', { reason: 'backup' });
          await stopWhole({ cluster: original, env, config: readConfig({ ...env, CRIER_ENGINE: 'cluster' }) });
          await succeeds(env, 'backup', `--to=${mark}`);
          await of.nodetool('snapshot', '--tag', `crier-${++tag}`, name);
          await original.start(120_000);
          await original.admin().call('publishing.release', {});
        },
        restore: async () => {
          await succeeds(other, 'migrate');
          await to.nodetool('drain');
          await to.kill('SIGTERM');
          copySnapshot(join(of.dataDir!, name), `crier-${tag}`, join(to.dataDir!, name));
          await to.restart();
          await succeeds(other, 'backup', '--verify', `--from=${mark}`);
          await succeeds(other, 'restore', `--from=${mark}`);
          await restored.start(120_000);
          return restored;
        },
      };
      const world = await restoredWorld(site);
      // It ends the hold of the backup, too, which is in the snapshot.
      await restored.admin().call('publishing.release', {});
      expect((await restored.admin().call('publishing.status')).held).toEqual([]);
      await annotate(JSON.stringify(await judgeRestored(site, world)));
    },
  );
});

/** The files of each table of a snapshot take the place of those of the table with the same name. */
function copySnapshot(from: string, tag: string, to: string): void {
  const nameOf = (folder: string): string => folder.slice(0, folder.lastIndexOf('-'));
  const targets = new Map(readdirSync(to).map((table) => [nameOf(table), join(to, table)]));
  for (const table of readdirSync(from)) {
    const target = targets.get(nameOf(table))!;
    rmSync(target, { recursive: true });
    cpSync(join(from, table, 'snapshots', tag), target, { recursive: true });
  }
}
