import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { soak } from '#testing/engines/environment.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { POSTS, recoveries } from './recovery.ts';

const KILLS = soak() ? 10 : 1;
/**
 * As in recovery.test.ts; here no lock proves that the former process is dead, so that its calls are waited for. In the
 * short form other suites occupy the machine, and a call that never reached x ends 180 s after its arm.
 */
const WITHIN_MS = soak() ? 60_000 : 240_000;

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('on Kafka and Cassandra', () => {
  const name = `recovery_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    `killed with -9 amid ${POSTS} immediate Posts to all six Networks, Crier knows every outcome ${WITHIN_MS / 1000} s after it is ready again (${KILLS} kills)`,
    { timeout: 240_000 + KILLS * 600_000 },
    async () => {
      const env = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
      const { tookMs, ends } = await recoveries({ kills: KILLS, engine: 'cluster', env });
      if (soak()) console.log(JSON.stringify(ends));
      expect(Math.max(...tookMs), JSON.stringify(ends)).toBeLessThanOrEqual(WITHIN_MS);
    },
  );
});
