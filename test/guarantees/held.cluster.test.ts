import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { heldUnderLoad, UNLIMITED } from './held.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('on Kafka and Cassandra', () => {
  const name = `held_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    'held under load in every process: two seconds later nothing more is sent, over a kill -9; released, all goes live',
    { timeout: 900_000 },
    async () => {
      const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      const env = { ...settings, ...UNLIMITED };
      expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
      await using crier = await CrierUnderTest.start({ name, engine: 'cluster', env });
      await using beside = await CrierUnderTest.start({
        name: `${name}_beside`,
        engine: 'cluster',
        env: { ...env, CRIER_ROLES: 'workspace,publisher', CRIER_SANDBOX_URL: crier.ready.sandboxUrl! },
      });
      await heldUnderLoad([crier, beside], { mayAdvance: false });
    },
  );
});
