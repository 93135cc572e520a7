import { randomBytes } from 'node:crypto';
import kafkajs from 'kafkajs';
import { afterAll, describe, expect, test } from 'vitest';
import { CassandraClient } from '#adapters/cassandra/client.ts';
import { TABLES } from '#tables/declarations/tables.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { installationSettings, runCrier, type CommandEnd } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { until } from '#testing/until.ts';

const { ConfigResourceTypes, Kafka, logLevel } = kafkajs;

/** Resolves once brokers answer with the settings: the controller takes them before brokers have them. */
async function alterTopic(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const admin = new Kafka({ brokers: [...kafka.address!.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const configEntries = Object.entries(settings).map(([key, value]) => ({ name: key, value }));
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name, configEntries }],
  });
  await until(
    async () => {
      const configNames = Object.keys(settings);
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames }],
      });
      const said = Object.fromEntries(
        resources[0]!.configEntries.map((entry) => [entry.configName, entry.configValue]),
      );
      expect(said).toEqual(settings);
      return true;
    },
    { what: `topic ${name} has its settings`, everyMs: 100 },
  );
  await admin.disconnect();
}

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('crier migrate', { timeout: 300_000 }, () => {
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  const byHand = `${name}_by_hand`;
  const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
  /** What it is given: nothing that it does not use. */
  const ofEngines = (keyspace: string): Record<string, string> => ({
    ...Object.fromEntries(Object.entries(settings).filter(([variable]) => /^CRIER_(KAFKA|CASSANDRA)_/.test(variable))),
    CRIER_KAFKA_TOPIC_PREFIX: `${keyspace}.`,
    CRIER_CASSANDRA_KEYSPACE: keyspace,
  });
  const migrate = (...flags: string[]): Promise<CommandEnd> => runCrier(['migrate', ...flags], ofEngines(name));
  afterAll(async () => {
    for (const keyspace of [name, byHand]) await dropKeyspace(cassandra.address!, keyspace);
  }, 300_000);

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

  test('by hand: what --print-cql prints makes all tables; migrate then needs to create none, and --verify finds nothing', async () => {
    const own = ofEngines(byHand);
    const run = (...flags: string[]): Promise<CommandEnd> => runCrier(['migrate', ...flags], own);
    const { CRIER_KAFKA_BROKERS: _, ...ofCassandra } = own;
    const printed = await runCrier(['migrate', '--print-cql'], ofCassandra);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    const statements = printed.stdout.trimEnd().split('\n');
    expect(statements).toHaveLength(TABLES.length + 1);
    for (const statement of statements) expect(statement).toMatch(/^CREATE (KEYSPACE|TABLE) IF NOT EXISTS .*;$/);

    const administrator = new CassandraClient(cassandra.address!);
    const define = (statement: string): Promise<unknown> => administrator.define(statement, 60_000);
    try {
      expect((await run('--verify')).stdout).toMatch(new RegExp(`^keyspace ${byHand} is missing\ntopic `));
      for (const statement of statements) await define(statement.slice(0, -1));
      expect(await run('--print-cql')).toEqual({ code: 0, stdout: '-- Nothing is missing.\n', stderr: '' });
      const before = await run('--verify');
      expect(before.code).toBe(1);
      expect(before.stdout.split('\n').filter((line) => /^topic \S+ is missing$/.test(line))).toHaveLength(
        TOPICS.length,
      );
      expect(before.stdout).toContain('\nthe schema version is 0, and this release needs ');
      expect(before.stdout).toMatch(/\nthe first rows of 64 scheduler shards are missing/);
      expect(before.stdout).toMatch(/\nschema 1 \(\w+\) is missing in the table avro_schemas\n/);
      const done = await run();
      expect([done.code, done.stdout]).toEqual([0, expect.not.stringContaining('CREATE')]);
      const right = { code: 0, stdout: 'Nothing differs from what this release needs.\n', stderr: '' };
      expect(await run('--verify')).toEqual(right);

      await define(`ALTER KEYSPACE ${byHand} WITH durable_writes = false`);
      await define(`ALTER TABLE ${byHand}.posts DROP format`);
      await define(
        `ALTER TABLE ${byHand}.due WITH compaction = {'class': 'TimeWindowCompactionStrategy'} AND gc_grace_seconds = 60`,
      );
      await define(`TRUNCATE ${byHand}.avro_schemas`);
      await alterTopic(`${byHand}.timers.v1`, { 'retention.ms': '60000', 'cleanup.policy': 'compact' });
      const after = await run('--verify');
      expect(after.code).toBe(1);
      const lines = after.stdout.trimEnd().split('\n');
      expect(lines.filter((line) => !line.startsWith('schema '))).toEqual([
        expect.stringMatching(/^keyspace \S+ has durable_writes=false/),
        expect.stringMatching(/^table \S+\.posts is without "regular 0 format int"/),
        expect.stringMatching(/^table \S+\.due has TimeWindowCompactionStrategy/),
        expect.stringMatching(/^table \S+\.due has gc_grace_seconds 60, and needs 864000/),
        expect.stringMatching(/^topic \S+timers\.v1 has cleanup\.policy=compact and needs delete/),
        expect.stringMatching(/^topic \S+timers\.v1 has retention\.ms=60000 and needs 172800000/),
        // Kafka gives settings that are not named with others their defaults.
        expect.stringMatching(/^topic \S+timers\.v1 has max\.message\.bytes=\d+ and needs 4194304/),
        expect.stringMatching(/^topic \S+timers\.v1 has message\.timestamp\.type=CreateTime and needs LogAppendTime/),
      ]);
      expect(lines.filter((line) => line.startsWith('schema ')).length).toBeGreaterThan(10);
    } finally {
      await administrator.close();
    }
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
