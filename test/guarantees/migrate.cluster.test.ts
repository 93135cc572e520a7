import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier, type CommandEnd } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('crier migrate', { timeout: 120_000 }, () => {
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
  const migrate = (...flags: string[]): Promise<CommandEnd> => runCrier(['migrate', ...flags], settings);
  afterAll(() => dropKeyspace(cassandra.address!, name));

  const refusesToStart = async (): Promise<void> => {
    await using early = await CrierUnderTest.make({
      name: 'early',
      engine: 'cluster',
      roles: ['ingress', 'workspace'],
      env: settings,
    });
    early.launch();
    expect(await early.ended).toEqual({ code: 1, signal: null });
    const lines = early
      .stderr()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^crier: keyspace ${name} .*crier migrate`))]);
    expect(early.stdout()).toBe('');
  };

  test('was not run: a start says so in one line and ends', refusesToStart);

  test('--dry-run prints what would be created, and creates nothing', async () => {
    const first = await migrate('--dry-run');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^CREATE KEYSPACE/);
    expect(first.stdout).toMatch(/would be at schema version \d+\n$/);
    expect(await migrate('--dry-run')).toEqual(first);
    await refusesToStart();
  });

  test('two at once make one installation, and a further one finds nothing to do', async () => {
    const both = await Promise.all([migrate(), migrate()]);
    expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    const nothing = expect.stringMatching(/^is at schema version \d+: nothing was missing\n$/);
    expect(await migrate()).toEqual({ code: 0, stdout: nothing, stderr: '' });
    expect(await migrate('--dry-run')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/would be .*nothing was missing\n$/),
      stderr: '',
    });
  });

  test('was run: a process of its roles becomes ready', async () => {
    await using crier = await CrierUnderTest.start({
      name: 'migrated',
      engine: 'cluster',
      roles: ['ingress', 'workspace'],
      env: settings,
    });
    expect(await crier.stop()).toEqual({ code: 0, signal: null });
  });
});
