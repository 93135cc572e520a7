import { describe, expect, test } from 'vitest';
import { NETWORKS } from '#domain/network.ts';
import { ConfigError, readConfig } from './config.ts';
import { SETTINGS } from './settings.ts';

const CLUSTER = {
  ...{
    CRIER_ADMIN_TOKEN: 'an-admin-token-of-tests',
    CRIER_SECRET: 'a-master-secret-of-tests-only-123',
    CRIER_KAFKA_BROKERS: 'a:9092,[::1]:9092',
  },
  ...{ CRIER_CASSANDRA_CONTACT_POINTS: 'a,b:9042,[::1]:9042' },
};

describe('a wrong setting is refused with a line that names it and the fix', () => {
  test.each([
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
    [{ CRIER_TRUSTED_PROXIES: 'everyone' }, /CRIER_TRUSTED_PROXIES has "everyone": use addresses or ranges/],
    [{ CRIER_TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.0/33' }, /CRIER_TRUSTED_PROXIES has "10.0.0.0\/33"/],
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
      /^CRIER_EGRESS_OVERRIDES needs CRIER_NETWORKS=sandbox: leave it out$/,
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
    [{ CRIER_PROT: '8080' }, /CRIER_PROT is no setting of Crier: see crier start --help/],
  ])('%o', (environment, line) => {
    expect(() => readConfig(environment)).toThrow(ConfigError);
    expect(() => readConfig(environment)).toThrow(line);
  });
});

test('a weak secret is accepted among the previous secrets, so that a strong one can replace it', () => {
  const previous = 's'.repeat(32);
  expect(
    readConfig({ CRIER_SECRET: 'a-master-secret-of-tests-only-123', CRIER_PREVIOUS_SECRETS: previous }).previousSecrets,
  ).toEqual([previous]);
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

test('proxies are named by address, range or name', () => {
  const { trustedProxies } = readConfig({ CRIER_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8::/32 ,192.0.2.1' });
  expect(trustedProxies).toEqual(['loopback', '10.0.0.0/8', '2001:db8::/32', '192.0.2.1']);
});
