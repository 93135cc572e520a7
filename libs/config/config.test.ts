import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate } from '#adapters/node-crypto/certificates.ts';
import { NETWORKS } from '#domain/network.ts';
import { ConfigError, readConfig, readSecretSettings, serviceLinksIn, type Environment } from './config.ts';
import { SETTINGS } from './settings.ts';

const CLUSTER = {
  ...{
    CRIER_ADMIN_TOKEN: 'an-admin-token-of-tests',
    CRIER_SECRET: 'a-master-secret-of-tests-only-123',
    CRIER_KAFKA_BROKERS: 'a:9092,[::1]:9092',
  },
  ...{ CRIER_CASSANDRA_CONTACT_POINTS: 'a,b:9042,[::1]:9042' },
};

/** The lines that a start with this environment ends with. */
function problemsOf(env: Environment): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a wrong setting is refused with a line that names it and the fix', () => {
  test.each<readonly [Environment, RegExp]>([
    [{ CRIER_PORT: '65536' }, /CRIER_PORT is "65536": it must be a whole number from 0 to 65535/],
    [{ CRIER_PORT: '80.5' }, /CRIER_PORT is "80.5"/],
    [{ CRIER_PORT: '-1' }, /CRIER_PORT is "-1"/],
    [{ CRIER_ENGINE: 'cloud' }, /CRIER_ENGINE is "cloud": it must be one of embedded, cluster/],
    [{ CRIER_ROLES: 'ingres' }, /CRIER_ROLES has "ingres": use all, or some of/],
    [{ CRIER_ROLES: ',' }, /CRIER_ROLES is empty: use all, or some of/],
    [{ CRIER_ROLES: 'ingress' }, /CRIER_ROLES must be all with CRIER_ENGINE=embedded/],
    [{ CRIER_DEMO: 'maybe' }, /CRIER_DEMO is "maybe": it must be true or false/],
    [{ CRIER_PUBLIC_URL: 'example.test' }, /CRIER_PUBLIC_URL is "example.test": it must be an http or https address/],
    [{ CRIER_ADMIN_TOKEN: 'short' }, /CRIER_ADMIN_TOKEN is too short: use at least 16 characters/],
    [
      { CRIER_ADMIN_TOKEN: 'a'.repeat(16) },
      /^CRIER_ADMIN_TOKEN is too easy to guess: use at least 16 characters, 8 of them different$/,
    ],
    [
      { CRIER_SECRET: 'a-master-secret-of-too-few-char' },
      /^CRIER_SECRET is too short: use at least 32 characters, 8 of them different$/,
    ],
    [
      { CRIER_SECRET: 's'.repeat(32) },
      /^CRIER_SECRET is too easy to guess: use at least 32 characters, 8 of them different$/,
    ],
    [{ CRIER_SECRET: 'changeme'.repeat(8) }, /^CRIER_SECRET is too easy to guess/],
    [{ CRIER_TLS_CERT: '/nowhere.pem' }, /CRIER_TLS_CERT and CRIER_TLS_KEY go together: set both or none/],
    [
      { CRIER_EGRESS_OVERRIDES: 'hooks.test=127.0.0.1:99999' },
      /CRIER_EGRESS_OVERRIDES has .*99999": use name=host:port/,
    ],
    [{ CRIER_ADMIN_NAMES: 'crier-admin,Crier' }, /CRIER_ADMIN_NAMES has "Crier": use names of hosts in lower case/],
    [{ CRIER_ADMIN_NAMES: 'crier-admin:8081' }, /CRIER_ADMIN_NAMES has "crier-admin:8081"/],
    [{ CRIER_TRUSTED_PROXIES: 'everyone' }, /CRIER_TRUSTED_PROXIES has "everyone": use addresses or ranges/],
    [{ CRIER_TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.0/33' }, /CRIER_TRUSTED_PROXIES has "10.0.0.0\/33"/],
    [{ CRIER_EGRESS_DENY: '10.0.0.0/33' }, /CRIER_EGRESS_DENY has "10.0.0.0\/33": use addresses, ranges/],
    [{ CRIER_EGRESS_ALLOW: '.example.com,*.example.org' }, /CRIER_EGRESS_ALLOW has "\*.example.org"/],
    [{ CRIER_EGRESS_ALLOW: 'https://example.com' }, /CRIER_EGRESS_ALLOW has "https:\/\/example.com"/],
    [{ CRIER_EGRESS_PROXY: 'http://user:secret@proxy.test:3128' }, /CRIER_EGRESS_PROXY must be http:\/\/host:port/],
    [{ CRIER_TRUSTED_PROXIES: '10.0.0.0/' }, /CRIER_TRUSTED_PROXIES has "10.0.0.0\/"/],
    [{ CRIER_NETWORKS: 'live' }, /CRIER_NETWORKS=live needs the app credentials/],
    [{ CRIER_NETWORKS: 'live', CRIER_DEMO: 'true', CRIER_X_CLIENT_ID: 'a' }, /CRIER_DEMO needs CRIER_NETWORKS=sandbox/],
    [{ CRIER_ENGINE: 'cluster' }, /CRIER_ADMIN_TOKEN is missing: CRIER_ENGINE=cluster needs it/],
    [
      { CRIER_ENGINE: 'cluster', ...CLUSTER, CRIER_SECRET: ' ' },
      /CRIER_SECRET is missing: CRIER_ENGINE=cluster needs it/,
    ],
    [{ ...CLUSTER, CRIER_KAFKA_BROKERS: 'a:9092,b' }, /CRIER_KAFKA_BROKERS has "b": use host:port/],
    [
      { ...CLUSTER, CRIER_KAFKA_BROKERS: 'kafka://a:9092' },
      /CRIER_KAFKA_BROKERS has "kafka:\/\/a:9092": use host:port/,
    ],
    [
      { ...CLUSTER, CRIER_CASSANDRA_CONTACT_POINTS: 'a:x' },
      /CRIER_CASSANDRA_CONTACT_POINTS has "a:x": use host or host:port/,
    ],
    [{ CRIER_CASSANDRA_KEYSPACE: 'my-crier' }, /CRIER_CASSANDRA_KEYSPACE has "my-crier": use at most 48 letters/],
    [{ CRIER_KAFKA_TOPIC_PREFIX: 'a/b' }, /CRIER_KAFKA_TOPIC_PREFIX has "a\/b": use at most 100/],
    [
      { CRIER_ADMIN_TLS_KEY: '/nowhere.pem' },
      /^CRIER_ADMIN_TLS_CERT and CRIER_ADMIN_TLS_KEY go together: set both or none$/,
    ],
    [{ CRIER_ADMIN_TLS_CA: '/nowhere.pem' }, /^CRIER_ADMIN_TLS_CA can't be read: ENOENT/],
    [
      { CRIER_INTERNAL_URL: 'http://10.0.0.1:8081', CRIER_ADMIN_TLS_CERT: 'a', CRIER_ADMIN_TLS_KEY: 'b' },
      /^CRIER_INTERNAL_URL is "http:\/\/10.0.0.1:8081": CRIER_ADMIN_TLS_CERT has admin listen for https$/m,
    ],
    [{ CRIER_KAFKA_USERNAME: 'a' }, /CRIER_KAFKA_USERNAME and CRIER_KAFKA_PASSWORD go together: set both or none/],
    [
      { CRIER_KAFKA_SASL_MECHANISM: 'plain' },
      /CRIER_KAFKA_SASL_MECHANISM and CRIER_KAFKA_USERNAME go together: set both or none/,
    ],
    [
      { CRIER_NETWORKS: 'live', CRIER_X_CLIENT_ID: 'a' },
      /CRIER_X_CLIENT_ID and CRIER_X_CLIENT_SECRET go together: set both or none/,
    ],
    [
      { CRIER_TIKTOK_CLIENT_SECRET: 'planted-secret' },
      /^CRIER_TIKTOK_CLIENT_ID and CRIER_TIKTOK_CLIENT_SECRET go together: set both or none$/,
    ],
    [
      { CRIER_NETWORKS: 'live', CRIER_FACEBOOK_CLIENT_ID: 'a' },
      /CRIER_FACEBOOK_CLIENT_ID and CRIER_FACEBOOK_CLIENT_SECRET go together/,
    ],
    [{ CRIER_GRAPH_VERSION: '25' }, /CRIER_GRAPH_VERSION has "25": use a version such as v25.0/],
    [
      { CRIER_EGRESS_OVERRIDES: 'hooks.test=127.0.0.1:9443,hooks.test' },
      /CRIER_EGRESS_OVERRIDES has "hooks.test": use name=host:port/,
    ],
    [
      { CRIER_EGRESS_OVERRIDES: 'https://hooks.test=127.0.0.1:9443' },
      /CRIER_EGRESS_OVERRIDES has "https:\/\/hooks.test=127.0.0.1:9443": use name=host:port/,
    ],
    [
      { CRIER_NETWORKS: 'live', CRIER_X_CLIENT_ID: 'a', CRIER_EGRESS_OVERRIDES: 'hooks.test=127.0.0.1:9443' },
      /^CRIER_EGRESS_OVERRIDES needs CRIER_NETWORKS=sandbox: leave it out$/m,
    ],
    [{ CRIER_INSTAGRAM_LOGIN: 'both' }, /CRIER_INSTAGRAM_LOGIN is "both": it must be one of instagram, facebook/],
    [{ CRIER_S3_BUCKET: 'files' }, /CRIER_S3_BUCKET needs CRIER_ENGINE=cluster/],
    [
      { ...CLUSTER, CRIER_ENGINE: 'cluster', CRIER_S3_BUCKET: 'My_Files' },
      /CRIER_S3_BUCKET has "My_Files": use 3 to 63/,
    ],
    [
      { ...CLUSTER, CRIER_ENGINE: 'cluster', CRIER_S3_BUCKET: 'files', CRIER_S3_ACCESS_KEY_ID: 'a' },
      /CRIER_S3_ACCESS_KEY_ID and CRIER_S3_SECRET_ACCESS_KEY go together/,
    ],
    [{ CRIER_ROLES: 'all,ingres' }, /CRIER_ROLES has "ingres": use all, or some of/],
    [{ CRIER_PUBLISH_NETWORKS: 'x,twitter' }, /^CRIER_PUBLISH_NETWORKS has "twitter": use all, or some of facebook,/],
    [{ CRIER_PROT: '8080' }, /CRIER_PROT is no setting of Crier: see crier start --help/],
    [{ CRIER_SECRET: 'changeme-0123456789-abcdefghijkl' }, /^CRIER_SECRET is too easy to guess/],
    [{ CRIER_ADMIN_TOKEN: 'your-admin-token-0123' }, /^CRIER_ADMIN_TOKEN is too easy to guess/],
    [{ CRIER_KAFKA_BROKERS: 'a:99999' }, /^CRIER_KAFKA_BROKERS has "a:99999": use host:port$/],
    [{ CRIER_CASSANDRA_CONTACT_POINTS: 'a:0' }, /^CRIER_CASSANDRA_CONTACT_POINTS has "a:0": use host or host:port$/],
    [{ CRIER_INTERNAL_URL: 'http://[::]:8081' }, /^CRIER_INTERNAL_URL is "http:\/\/\[::\]:8081": other processes need/],
    ...['0.0.0.0', '::'].map(
      (host) =>
        [
          { CRIER_ENGINE: 'cluster', ...CLUSTER, CRIER_ADMIN_HOST: host },
          /^CRIER_INTERNAL_URL is missing: CRIER_ADMIN_HOST=.* is no address that other processes reach this one at/,
        ] satisfies readonly [Environment, RegExp],
    ),
    [
      { CRIER_PORT: 'tcp://10.96.0.7:8080' },
      /^CRIER_PORT is "tcp:\/\/10.96.0.7:8080", which Kubernetes put there for a Service .* enableServiceLinks: false/,
    ],
    [{ CRIER_ADMIN_PORT: 'tcp://10.96.0.8:8081' }, /^CRIER_ADMIN_PORT is .* which Kubernetes put there/],
    [
      { CRIER_ADMIN_TOKENS: 'ada:operate' },
      /^CRIER_ADMIN_TOKENS has an entry that is no name:role:token \(the first\)/,
    ],
    [
      { CRIER_ADMIN_TOKENS: 'ada:root:a-token-of-some-length' },
      /^CRIER_ADMIN_TOKENS gives ada the role "root": it must be one of read, operate$/,
    ],
    [
      { CRIER_ADMIN_TOKENS: 'ada:read:aaaaaaaaaaaaaaaaaaaa' },
      /^CRIER_ADMIN_TOKENS has a token of ada that is too short/,
    ],
    [{ CRIER_ADMIN_TOKENS: 'admin:read:a-token-of-some-length' }, /^CRIER_ADMIN_TOKENS names an operator admin, which/],
    [
      { CRIER_ADMIN_TOKENS: 'ada:read:a-token-of-some-length,bob:read:a-token-of-some-length' },
      /^CRIER_ADMIN_TOKENS has the token of bob twice/,
    ],
    [{ CRIER_PREVIOUS_ADMIN_TOKENS: 'short' }, /^CRIER_PREVIOUS_ADMIN_TOKENS is too short/],
    [{ CRIER_SECRET_FILE: '/nowhere/secret' }, /^CRIER_SECRET_FILE can't be read: ENOENT/],
    [
      { CRIER_SECRET_FILE: '/nowhere/secret', CRIER_SECRET: 'a-master-secret-of-tests-only-123' },
      /^CRIER_SECRET and CRIER_SECRET_FILE are both set: set one of them$/,
    ],
    [{ CRIER_PORT_FILE: '/nowhere' }, /^CRIER_PORT_FILE is no setting of Crier/],
  ])('%o', (environment, line) => {
    expect(() => readConfig(environment)).toThrow(ConfigError);
    expect(() => readConfig(environment)).toThrow(line);
  });
});

test('everything that is wrong is reported at once, each in a line, and nothing of what a wrong value would mean', () => {
  const problems = problemsOf({
    CRIER_ENGINE: 'cloud',
    CRIER_ROLES: 'ingres',
    CRIER_PORT: '99999',
    CRIER_KAFKA_USERNAME: 'a',
    CRIER_PROT: '1',
    CRIER_TLS_CERT: 'a.pem',
  });
  expect(problems.map((line) => line.split(/ (?:is|has|and)/)[0])).toEqual([
    'CRIER_PROT',
    'CRIER_ENGINE',
    'CRIER_PORT',
    'CRIER_ROLES',
    'CRIER_TLS_CERT',
    'CRIER_KAFKA_USERNAME',
    'CRIER_KAFKA_SASL_MECHANISM',
  ]);
});

test.each([
  ['', ['facebook', 'instagram', 'tiktok', 'youtube', 'x', 'threads', 'figures', 'upkeep']],
  ['x', ['x', 'figures', 'upkeep']],
  ['tiktok, x, figures', ['tiktok', 'x', 'figures']],
  ['upkeep', ['upkeep']],
])('CRIER_PUBLISH_NETWORKS=%s: figures and upkeep run too, unless one of them is named', (written, parts) => {
  expect(readConfig({ CRIER_PUBLISH_NETWORKS: written }).publishNetworks.toSorted()).toEqual(parts.toSorted());
});

test('what Kubernetes adds to a pod for Services is no setting, and is reported in a warning', () => {
  const links = {
    CRIER_SERVICE_HOST: '10.96.0.7',
    CRIER_SERVICE_PORT: '8080',
    CRIER_SERVICE_PORT_HTTP: '8080',
    CRIER_PORT_8080_TCP: 'tcp://10.96.0.7:8080',
    CRIER_PORT_8080_TCP_PROTO: 'tcp',
    CRIER_PORT_8080_TCP_PORT: '8080',
    CRIER_PORT_8080_TCP_ADDR: '10.96.0.7',
    CRIER_INGRESS_API_SERVICE_HOST: '10.96.0.9',
    CRIER_INGRESS_API_PORT: 'tcp://10.96.0.9:80',
  };
  expect(readConfig(links)).toEqual(readConfig({}));
  expect(serviceLinksIn({ ...links, PATH: '/bin', CRIER_PORT: '8080' })).toEqual(Object.keys(links));
});

describe('a secret may stand in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const written = (text: string): string => {
    const path = join(folder, `secret-${text.length}`);
    writeFileSync(path, text);
    return path;
  };

  test('without the line end that editors leave, and of a list one to a line', () => {
    const config = readConfig({
      CRIER_SECRET_FILE: written('a-master-secret-of-tests-only-123\n'),
      CRIER_PREVIOUS_SECRETS_FILE: written(`${'r'.repeat(32)}\n${'s'.repeat(32)}\n`),
    });
    expect(config.secret).toBe('a-master-secret-of-tests-only-123');
    expect(config.previousSecrets).toEqual(['r'.repeat(32), 's'.repeat(32)]);
  });

  test.each([
    ['an empty file', () => written(' \n'), /is empty: write the secret into it/],
    ['a file that is no secret', () => written('x'.repeat(70_000)), /has 70000 bytes: that is no secret/],
    ['a folder', () => folder, /can't be read: EISDIR/],
  ])('%s is refused', (_what, path, line) => {
    expect(() => readConfig({ CRIER_SECRET_FILE: path() })).toThrow(line);
  });
});

describe('files of TLS to engines', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-tls-files-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const written = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const validity = { fromMs: Date.now() - 60_000, untilMs: Date.now() + 3_600_000 };
  const authority = createAuthority('Config', ['engines.test'], validity);
  const [one, other] = ['one', 'other'].map((host) => issueCertificate(authority, [`${host}.engines.test`], validity));
  const cert = written('cert.pem', one!.certificate);
  const key = written('key.pem', one!.key);

  test.each(['KAFKA', 'CASSANDRA'])('%s: each is taken, and what is wrong with one is reported', (engine) => {
    const problems = (env: Environment): readonly string[] =>
      problemsOf(
        Object.fromEntries(Object.entries(env).map(([name, value]) => [`CRIER_${engine}_${name}`, value])),
      ).map((line) => line.replaceAll(`CRIER_${engine}_`, ''));
    const ca = written('ca.pem', authority.certificate);
    expect(problems({ TLS: 'true', CA: ca, CERT: cert, KEY: key })).toEqual([]);
    expect(problems({ CA: ca })).toEqual(['CA needs TLS=true']);
    expect(problems({ TLS: 'true', CERT: cert })).toEqual(['CERT and KEY go together: set both or none']);
    expect(problems({ TLS: 'true', CA: '/nowhere/ca.pem', CERT: key, KEY: key })).toEqual([
      expect.stringMatching(/^CA can't be read: ENOENT/),
      `CERT names ${key}, which holds no certificate as PEM`,
    ]);
    expect(problems({ TLS: 'true', CERT: cert, KEY: written('other.pem', other!.key) })).toEqual([
      expect.stringMatching(/^CERT and KEY are no certificate and its key, as PEM: /),
    ]);
    const broken = written('broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    expect(problems({ TLS: 'true', CA: broken })).toEqual([
      expect.stringMatching(/^CA names .*broken.pem, which holds a broken certificate: /),
    ]);
  });
});

test('a weak secret is accepted among the previous secrets, so that a strong one can replace it', () => {
  const previous = 's'.repeat(32);
  expect(
    readConfig({ CRIER_SECRET: 'a-master-secret-of-tests-only-123', CRIER_PREVIOUS_SECRETS: previous }).previousSecrets,
  ).toEqual([previous]);
});

test('a former secret of any characters can be named: as JSON where it has a comma or a line break', () => {
  const former = [`${'r'.repeat(20)},${'r'.repeat(20)}`, `${'s'.repeat(64)}\n${'s'.repeat(24)}`];
  const read = (value: string) => readConfig({ CRIER_PREVIOUS_SECRETS: value }).previousSecrets;
  for (const secret of former) expect(readConfig({ CRIER_SECRET: `abcdefgh${secret}` }).secret).toContain(secret);
  expect(read(JSON.stringify(former))).toEqual(former);
  expect(read(` ${JSON.stringify(former, null, 2)}\n`)).toEqual(former);
  // A secret may begin like one; and what is no list of texts is read as ever.
  expect(read(`["${'t'.repeat(32)}`)).toEqual([`["${'t'.repeat(32)}`]);
  // What is kept out of support bundles.
  expect(readSecretSettings({ CRIER_PREVIOUS_SECRETS: JSON.stringify(former) })).toEqual(
    expect.arrayContaining(former),
  );
  expect(problemsOf({ CRIER_PREVIOUS_SECRETS: former[0]! })).toEqual([
    'CRIER_PREVIOUS_SECRETS is too short: use at least 32 characters, 8 of them different. One with a comma or a line break in it is written in JSON, as in ["ONE","OTHER"]',
  ]);
});

test('admin and sandbox listen on 127.0.0.1 by default, wherever the API listens', () => {
  const { host, adminHost, sandboxHost } = readConfig({ CRIER_HOST: '0.0.0.0' });
  expect([host, adminHost, sandboxHost]).toEqual(['0.0.0.0', '127.0.0.1', '127.0.0.1']);
});

test('settings of a cluster are read in all their forms', () => {
  const config = readConfig({ CRIER_ENGINE: 'cluster', ...CLUSTER, CRIER_ROLES: 'publisher, scheduler' });
  expect(config.roles).toEqual(['scheduler', 'publisher']);
  expect(config.kafkaBrokers).toEqual(['a:9092', '[::1]:9092']);
});

test.each(NETWORKS)('the app of %s alone is enough to go live', (network) => {
  const variable = `CRIER_${network.toUpperCase()}_CLIENT`;
  const config = readConfig({ CRIER_NETWORKS: 'live', [`${variable}_ID`]: 'id', [`${variable}_SECRET`]: 'secret' });
  expect([config.networks, config[`${network}ClientId`], config[`${network}ClientSecret`]]).toEqual([
    'live',
    'id',
    'secret',
  ]);
});

test('an empty variable counts as not set', () => {
  const nothing = Object.fromEntries(
    Object.values(SETTINGS).map(({ variable }) => [variable, variable === 'CRIER_HOST' ? ' ' : '']),
  );
  expect(readConfig(nothing)).toEqual(readConfig({}));
});

test('a flag wins over the environment', () => {
  expect(readConfig({ CRIER_PORT: '1' }, { port: '2' }).port).toBe(2);
});

test('where requests may go is named by address, range, name, or a name and all below it', () => {
  const entries = ['203.0.113.7', '203.0.113.0/24', '2001:db8::/32', 'hooks.example.com', '.example.org'];
  expect(readConfig({ CRIER_EGRESS_ALLOW: entries.join(', ') }).egressAllow).toEqual(entries);
  expect(readConfig({ CRIER_EGRESS_PROXY: 'http://proxy.test:3128' }).egressProxy).toContain('http://proxy.test:3128');
});

test('proxies are named by address, range or name', () => {
  const { trustedProxies } = readConfig({ CRIER_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8::/32 ,192.0.2.1' });
  expect(trustedProxies).toEqual(['loopback', '10.0.0.0/8', '2001:db8::/32', '192.0.2.1']);
});

describe('a command that goes by the settings of the engines', () => {
  const { CRIER_KAFKA_BROKERS, CRIER_CASSANDRA_CONTACT_POINTS } = CLUSTER;
  const engines = { CRIER_ENGINE: 'cluster', CRIER_KAFKA_BROKERS, CRIER_CASSANDRA_CONTACT_POINTS };

  test('needs no secret and no token, and looks at none that is set, nor at what listeners would need', () => {
    const others = {
      CRIER_SECRET: 'short',
      CRIER_ADMIN_TOKEN_FILE: '/nowhere/token',
      CRIER_ADMIN_HOST: '0.0.0.0',
      CRIER_PORT: 'tcp://10.96.0.7:8080',
    };
    expect(readConfig({ ...engines, ...others }, {}, 'engines')).toMatchObject({ secret: null, port: 8080 });
    expect(problemsOf({ ...engines, ...others })).toHaveLength(5);
  });

  test('tells what is wrong with those, and what is no setting', () => {
    const wrong = { CRIER_KAFKA_TLS: 'yes', CRIER_CASSANDRA_USERNAME: 'crier', CRIER_KAFKA_BROKRES: 'a:9092' };
    const lines = {
      problems: [/^CRIER_KAFKA_BROKRES/, /^CRIER_KAFKA_TLS/, /^CRIER_CASSANDRA_USERNAME/].map((line) =>
        expect.stringMatching(line),
      ),
    };
    expect(() => readConfig({ ...engines, ...wrong }, {}, 'engines')).toThrow(expect.objectContaining(lines));
  });

  test('and of Cassandra alone does without Kafka', () => {
    const config = readConfig({ CRIER_ENGINE: 'cluster', CRIER_CASSANDRA_CONTACT_POINTS }, {}, 'tables');
    expect(config.cassandraContactPoints).toHaveLength(3);
    const missing = { problems: ['CRIER_KAFKA_BROKERS is missing: CRIER_ENGINE=cluster needs it'] };
    expect(() => readConfig({ CRIER_ENGINE: 'cluster', CRIER_CASSANDRA_CONTACT_POINTS }, {}, 'engines')).toThrow(
      expect.objectContaining(missing),
    );
  });
});

test('an empty flag counts as not set: the variable holds', () => {
  const config = readConfig({ CRIER_DATA_DIR: '/srv/crier', CRIER_PORT: '9000' }, { dataDir: '', port: ' ' });
  expect(config).toMatchObject({ dataDir: '/srv/crier', port: 9_000 });
});
