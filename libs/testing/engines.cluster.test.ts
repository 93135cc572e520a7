import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, describe, expect, it } from 'vitest';

import { alive } from './engines/cache-folder.ts';
import { sharedCassandra, sharedKafka } from './engines/shared.ts';
import { startKafka, type KafkaEngine } from './engines.ts';

const run = promisify(execFile);
const kafka = sharedKafka();

describe.skipIf(kafka.missing !== null)('engines', () => {
  const started: KafkaEngine[] = [];
  afterAll(() => Promise.all(started.map((engine) => engine.stop())));

  it('are shared by all suites of a run', () => {
    expect(kafka.address?.brokers).toHaveLength(1);
    expect(sharedCassandra().address).toMatchObject({ localDataCenter: 'datacenter1' });
  });

  it('keep their data and their address over kill -9 and a pause', async () => {
    const engine = await startKafka();
    started.push(engine);
    const admin = new Kafka({ brokers: [...engine.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 3 }] });
    await engine.kill('SIGKILL');
    await engine.restart();
    await engine.kill('SIGSTOP');
    await engine.kill('SIGCONT');
    expect(await admin.fetchTopicOffsets('kept')).toHaveLength(3);
    await admin.disconnect();
  });

  it('end with a parent that is killed', async () => {
    const script = `import { startKafka } from '${resolve(import.meta.dirname, 'engines.ts')}'; console.log((await startKafka()).pid); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const pid = Number(line);
    expect(alive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isGone(pid), { timeout: 60_000 }).toBe(true);
  });
});

/** Gone, or a zombie that its new parent has not reaped. */
async function isGone(pid: number): Promise<boolean> {
  const state = await run('ps', ['-o', 'stat=', '-p', String(pid)]).then(
    (said) => said.stdout.trim(),
    () => '',
  );
  return state === '' || state.startsWith('Z');
}
