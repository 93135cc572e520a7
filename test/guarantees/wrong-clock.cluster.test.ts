import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { until } from '#testing/until.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();
const MINUTE_MS = 60_000;
const PRELOADED = new URL('../../libs/testing/shifted-clock.ts', import.meta.url);
const PATIENCE_MS = 90_000;

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('a process of a cluster', () => {
  const name = `clock_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    'whose clock is an hour ahead takes no work and says so in a sentence; nothing is published early, and nothing lost',
    { timeout: 300_000 },
    async () => {
      const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      expect(await runCrier(['migrate', '--engine=cluster'], settings)).toMatchObject({ code: 0, stderr: '' });
      const env: Record<string, string> = { ...settings };
      const beginsWith = (from: 'right' | 'off'): void => {
        env['NODE_OPTIONS'] = `--import=${PRELOADED}?offMs=${60 * MINUTE_MS}&from=${from}`;
      };
      beginsWith('right');
      await using crier = await CrierUnderTest.start({ name, engine: 'cluster', env });
      const { apiKey, channels } = await foundWorkspace(crier, 'a client');
      const scheduledAt = new Date(Date.now() + 50 * MINUTE_MS).toISOString();
      const text = 'in fifty minutes';
      const { id } = await crier.api(apiKey).createPost({ text, channelIds: Object.values(channels), scheduledAt });

      // Its clock leaps: it ends, by itself.
      crier.signal('SIGUSR2');
      expect(await crier.ended).toEqual({ code: 1, signal: null });
      const sentence = expect.stringMatching(
        /^crier: the clock of this machine is (3599|36\d\d) s ahead of that of Cassandra at 127\.0\.0\.1:\d+: set it right/,
      );
      // A library may warn of timeouts that a leap made negative.
      const said = () => crier.errorLines().filter((line) => line.startsWith('crier: '));
      expect(said()).toEqual([sentence]);

      // Started by that clock, it lives and waits.
      beginsWith('off');
      crier.launch();
      const asked = async (path: 'live' | 'ready') => {
        const answer = await fetch(`http://127.0.0.1:${crier.ports.admin}/health/${path}`).catch(() => null);
        return answer === null ? null : { status: answer.status, body: await answer.text() };
      };
      let last: string | undefined;
      const says = async (): Promise<boolean> => {
        const answer = await asked('ready');
        last = answer?.body;
        return answer?.status === 503 && answer.body.includes('the clock of this machine is');
      };
      await until(says, { what: 'readiness names the clock', withinMs: PATIENCE_MS }).catch((error: Error) => {
        throw new Error(`${error.message}: ${last}`);
      });
      expect((await asked('live'))?.status).toBe(200);
      expect(await accepts(crier.ports.api), 'it takes requests').toBe(false);

      // Put right, it goes on by itself, where it had stopped.
      crier.signal('SIGUSR2');
      await crier.whenReady(PATIENCE_MS);
      const { variants } = await crier.api(apiKey).getPost(id);
      expect(variants.map(({ status }) => status)).toEqual(variants.map(() => 'scheduled'));
      expect(await crier.sandbox().items()).toEqual([]);
      expect(said()).toEqual([sentence]);
    },
  );
});

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
