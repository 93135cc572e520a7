import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { soak } from '#testing/engines/environment.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { killedWhileConnecting } from './sign-in-kill.ts';

const ROUNDS = soak() ? 20 : 2;

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('on Kafka and Cassandra', () => {
  const name = `sign_in_kill_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    'killed at any moment of sign-in, consent, code and refresh: nothing is good twice, and everybody can begin again',
    { timeout: 240_000 + ROUNDS * 180_000 },
    async ({ annotate }) => {
      const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      expect(await runCrier(['migrate', '--engine=cluster'], settings)).toMatchObject({ code: 0, stderr: '' });
      await using crier = await CrierUnderTest.start({
        name: 'sign-in-kill',
        engine: 'cluster',
        env: { ...settings, CRIER_DEMO: 'true' },
      });
      const diedIn = await killedWhileConnecting(crier, ROUNDS);
      await annotate(`died in ${diedIn.join(', ')}`);
      expect(diedIn).toHaveLength(ROUNDS);
    },
  );
});
