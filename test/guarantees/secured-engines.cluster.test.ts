import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { auth, Client } from 'cassandra-driver';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
  type AclEntry,
  type Admin,
} from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate, type KeyAndCertificate } from '#adapters/node-crypto/certificates.ts';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { startCassandra, startKafka, type CassandraEngine, type KafkaEngine } from '#testing/engines.ts';
import { sharedKafka } from '#testing/engines/shared.ts';
import { until } from '#testing/until.ts';

const DAY_MS = 86_400_000;
const VALIDITY = { fromMs: Date.now() - DAY_MS, untilMs: Date.now() + DAY_MS };
const NAMES = ['engines.test', '127.0.0.1'];
const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/engine-access.md'), 'utf8');

/** `[user, resource, operations]` of each row of the page. */
const ACLS = [...PAGE.matchAll(/^\| (migrate|processes) \| (topic|group) \| `crier\.` \| ([\w, ]+) \|$/gm)].map(
  ([, user, resource, operations]) => [user!, resource!, operations!.split(', ')] as const,
);
const GRANTS = [...PAGE.matchAll(/^GRANT .*;$/gm)].map(([line]) => line);
const OPERATIONS: Readonly<Record<string, AclOperationTypes>> = {
  Create: AclOperationTypes.CREATE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
};

/** What the page gives a user, for `principal`; without `omitted`, a kind of resource. */
function aclsOf(user: 'migrate' | 'processes', principal: string, prefix: string, omitted?: string): AclEntry[] {
  return ACLS.filter(([of, resource]) => of === user && resource !== omitted).flatMap(([, resource, operations]) =>
    operations.map((operation) => ({
      principal: `User:${principal}`,
      host: '*',
      resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
      resourceName: prefix,
      resourcePatternType: ResourcePatternTypes.PREFIXED,
      operation: OPERATIONS[operation]!,
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}

// Engines of its own: those that the suites share ask for no certificates.
describe.skipIf(sharedKafka().missing !== null)('engines with TLS, users and rights', { timeout: 600_000 }, () => {
  const name = `secured_${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'crier-test-secured-'));
  const authority = createAuthority('Private authority', NAMES, VALIDITY);
  const stranger = createAuthority('Another authority', NAMES, VALIDITY);
  const passwords = Object.fromEntries(
    ['migrate', 'processes', 'beginner'].map((user) => [user, randomBytes(12).toString('hex')]),
  );
  let kafka: KafkaEngine;
  let cassandra: CassandraEngine;
  let acls: Admin;
  let crier: CrierUnderTest;

  const path = (file: string): string => join(folder, file);
  const clientOf = (host: string): KeyAndCertificate =>
    issueCertificate(authority, [`${host}.engines.test`], VALIDITY, 'client');
  const writePair = ({ certificate, key }: KeyAndCertificate): void => {
    writeFileSync(path('client.pem'), certificate);
    writeFileSync(path('client.key'), key);
  };

  const settings = (how: { readonly kafkaUser: string | null; readonly cassandraUser: string }) => ({
    ...base,
    CRIER_KAFKA_BROKERS: (how.kafkaUser === null ? kafka.tlsBrokers : kafka.saslBrokers).join(),
    CRIER_KAFKA_TLS: 'true',
    CRIER_KAFKA_CA: path('ca.pem'),
    ...(how.kafkaUser === null
      ? { CRIER_KAFKA_CERT: path('client.pem'), CRIER_KAFKA_KEY: path('client.key') }
      : {
          CRIER_KAFKA_SASL_MECHANISM: 'scram-sha-512',
          CRIER_KAFKA_USERNAME: how.kafkaUser,
          CRIER_KAFKA_PASSWORD: passwords[how.kafkaUser]!,
        }),
    CRIER_CASSANDRA_TLS: 'true',
    CRIER_CASSANDRA_CA: path('ca.pem'),
    CRIER_CASSANDRA_CERT: path('client.pem'),
    CRIER_CASSANDRA_KEY: path('client.key'),
    CRIER_CASSANDRA_USERNAME: how.cassandraUser,
    CRIER_CASSANDRA_PASSWORD: 'of-the-tests',
  });
  let base: Record<string, string>;

  beforeAll(async () => {
    const { certificate, key } = issueCertificate(authority, NAMES, VALIDITY);
    const shown = { ca: authority.certificate, certificate, key };
    writeFileSync(path('ca.pem'), authority.certificate);
    writeFileSync(path('stranger.pem'), stranger.certificate);
    const client = clientOf('crier');
    writePair(client);
    kafka = await startKafka({ brokerSessionMs: 9_000, secured: { ...shown, users: passwords } });
    const tls = { ca: authority.certificate, cert: client.certificate, key: client.key };
    cassandra = await startCassandra({ secured: { ...shown, client: tls } });
    base = installationSettings({ kafka, cassandra, name });
    acls = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING }).admin();
    await acls.connect();
    await acls.createAcls({
      acl: [
        ...aclsOf('migrate', 'migrate', `${name}.`),
        ...aclsOf('processes', 'CN=crier.engines.test', `${name}.`),
        ...aclsOf('processes', 'beginner', `${name}.`, 'group'),
      ],
    });
    await grant(cassandra, tls);
  }, 400_000);

  /** What the page tells an administrator to type. */
  async function grant({ contactPoints, localDataCenter, port }: CassandraEngine, tls: object): Promise<void> {
    const administrator = new Client({
      contactPoints: [...contactPoints],
      localDataCenter,
      protocolOptions: { port },
      sslOptions: { rejectUnauthorized: true, ...tls },
      authProvider: new auth.PlainTextAuthProvider('cassandra', 'cassandra'),
    });
    await administrator.execute(
      `CREATE KEYSPACE ${name} WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 1}`,
    );
    for (const role of ['crier', 'migrator'])
      await administrator.execute(`CREATE ROLE ${role} WITH LOGIN = true AND PASSWORD = 'of-the-tests'`);
    for (const line of GRANTS) await administrator.execute(line.replace('KEYSPACE crier ', `KEYSPACE ${name} `));
    await administrator.shutdown();
  }

  afterAll(async () => {
    await crier?.[Symbol.asyncDispose]();
    await acls?.disconnect();
    await Promise.all([kafka?.stop(), cassandra?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);

  async function publishes(ours: TestWorkspace, text: string): Promise<void> {
    const api = crier.api(ours.apiKey);
    // Connections that were refused are made anew meanwhile; the key makes it one Post.
    const { id } = await until(() => api.createPost({ text, channelIds: [ours.channels.x] }).catch(() => null), {
      what: `${text}: taken`,
      withinMs: 90_000,
    });
    await until(async () => (await api.getPost(id)).variants.every(({ status }) => status === 'published'), {
      what: `${text}: published`,
      withinMs: 90_000,
    });
    expect((await crier.sandbox().items({ network: 'x' })).filter((item) => item.text === text)).toHaveLength(1);
  }

  test('crier migrate makes everything with the rights that are listed for it, by SCRAM and a password', async () => {
    expect([ACLS.length, GRANTS.length]).toEqual([3, 6]);
    const end = await runCrier(['migrate'], settings({ kafkaUser: 'migrate', cassandraUser: 'migrator' }));
    expect(end).toMatchObject({ code: 0, stderr: '' });
  });

  test('crier doctor names the setting of an authority that did not sign, and that of a certificate', async () => {
    const right = settings({ kafkaUser: null, cassandraUser: 'crier' });
    const findings = async (env: Record<string, string>): Promise<Record<string, string>> => {
      const { stdout } = await runCrier(['doctor', '--engine=cluster', '--json'], env);
      const found = JSON.parse(stdout) as { check: string; detail: string }[];
      return Object.fromEntries(found.map(({ check, detail }) => [check, detail]));
    };
    expect(await findings(right)).toMatchObject({
      kafka: 'answers, and has the topics',
      cassandra: expect.stringMatching(/^schema version \d+$/),
    });
    const wrong = path('stranger.pem');
    expect(await findings({ ...right, CRIER_KAFKA_CA: wrong, CRIER_CASSANDRA_CA: wrong })).toMatchObject({
      kafka: expect.stringMatching(/^CRIER_KAFKA_CA does not hold the authority that signed the certificate of kafka/),
      cassandra: expect.stringMatching(/^CRIER_CASSANDRA_CA does not hold the authority that signed .* of cassandra/),
    });
  });

  test('a Post is published by a process that shows a certificate and has the rights that are listed', async () => {
    crier = await CrierUnderTest.start({
      name,
      engine: 'cluster',
      env: settings({ kafkaUser: null, cassandraUser: 'crier' }),
    });
    await publishes(await foundWorkspace(crier, 'first'), 'By certificate');
  });

  test('certificates are renewed while it runs; files that can not be used change nothing', async () => {
    const said = (event: string, engine: string): boolean =>
      crier
        .output()
        .split('\n')
        .some((line) => line.includes(`"event":"${event}"`) && line.includes(`"engine":"${engine}"`));
    const ours = await foundWorkspace(crier, 'second');
    const hears = (event: string) =>
      until(() => said(event, 'kafka') && said(event, 'cassandra'), { what: event, withinMs: 60_000 });
    writeFileSync(path('client.pem'), 'half a file');
    await hears('certificates-refused');
    await publishes(ours, 'By what was read before');

    await acls.createAcls({ acl: aclsOf('processes', 'CN=renewed.engines.test', `${name}.`) });
    writePair(clientOf('renewed'));
    await hears('certificates-renewed');
    // Only a connection that shows the new certificate has rights from here on.
    await acls.deleteAcls({ filters: aclsOf('processes', 'CN=crier.engines.test', `${name}.`) });
    await publishes(ours, 'By the renewed certificate');
    await crier.stop();
  });

  test('an ACL that is missing is named by readiness; once it is there, the process takes part by itself', async () => {
    await crier?.[Symbol.asyncDispose]();
    crier = await CrierUnderTest.make({
      name: `${name}-beginner`,
      engine: 'cluster',
      env: settings({ kafkaUser: 'beginner', cassandraUser: 'crier' }),
    });
    crier.launch();
    let troubles: readonly { name: string; trouble: string | null }[] = [];
    const sentence = `has not joined its group yet: Kafka refuses this user the group ${name}.workspace: give it the ACL Read on the group`;
    await until(
      async () => {
        const answer = await fetch(`http://127.0.0.1:${crier.ports.admin}/health/ready`).catch(() => null);
        const { checks } = ((await answer?.json()) ?? {}) as { checks?: { name: string; trouble: string | null }[] };
        troubles = checks?.filter(({ trouble }) => trouble !== null) ?? [];
        return troubles.some(({ trouble }) => trouble === sentence);
      },
      { what: 'readiness names the ACL', withinMs: 90_000 },
    ).catch((error: Error) => {
      throw new Error(`${error.message}; troubles: ${JSON.stringify(troubles)}`);
    });
    await acls.createAcls({ acl: aclsOf('processes', 'beginner', `${name}.`) });
    await crier.whenReady(90_000);
    await publishes(await foundWorkspace(crier, 'third'), 'By SCRAM');
  });
});
