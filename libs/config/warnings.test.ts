import { expect, test } from 'vitest';
import { configWarnings } from './warnings.ts';
import { readConfig, type Environment } from './config.ts';

const CLUSTER = {
  ...{
    CRIER_ENGINE: 'cluster',
    CRIER_ADMIN_TOKEN: 'an-admin-token-of-tests',
    CRIER_SECRET: 'a-master-secret-of-tests-only-123',
  },
  ...{ CRIER_KAFKA_BROKERS: 'kafka:9092', CRIER_CASSANDRA_CONTACT_POINTS: 'cassandra' },
};
const PLAIN = { CRIER_KAFKA_SASL_MECHANISM: 'plain', CRIER_KAFKA_USERNAME: 'crier', CRIER_KAFKA_PASSWORD: 'planted' };
const CASSANDRA = { CRIER_CASSANDRA_USERNAME: 'crier', CRIER_CASSANDRA_PASSWORD: 'planted' };
const warningsWith = (more: Environment, base: Environment = CLUSTER) =>
  configWarnings(readConfig({ ...base, ...more }));

test.each<[string, Environment, RegExp]>([
  [
    'other processes are sent where admin does not listen',
    { CRIER_INTERNAL_URL: 'http://10.1.2.3:8081' },
    /^CRIER_INTERNAL_URL sends others to 10\.1\.2\.3, and admin listens on 127\.0\.0\.1 for this machine alone: set CRIER_ADMIN_HOST/,
  ],
  [
    'Kafka is sent the password in clear',
    PLAIN,
    /^CRIER_KAFKA_SASL_MECHANISM=plain sends CRIER_KAFKA_PASSWORD in clear to kafka:9092: set CRIER_KAFKA_TLS=true/,
  ],
  [
    'one broker of several is on another machine',
    { ...PLAIN, CRIER_KAFKA_BROKERS: '127.0.0.1:9092,[::1]:9092,kafka:9092' },
    /in clear to kafka:9092: /,
  ],
  [
    'Cassandra is sent the password in clear',
    CASSANDRA,
    /^CRIER_CASSANDRA_PASSWORD is sent in clear to cassandra: set CRIER_CASSANDRA_TLS=true/,
  ],
])('it is warned that %s', (_, more, line) => {
  expect(warningsWith(more)).toEqual([expect.stringMatching(line)]);
  expect(warningsWith(more).join()).not.toContain('planted');
});

test.each<[string, Environment]>([
  ['nothing is out of the ordinary', {}],
  ['admin listens for other machines', { CRIER_INTERNAL_URL: 'http://10.1.2.3:8081', CRIER_ADMIN_HOST: '0.0.0.0' }],
  ['others are on this machine', { CRIER_INTERNAL_URL: 'http://localhost:8081' }],
  ['Kafka is spoken to by TLS', { ...PLAIN, CRIER_KAFKA_TLS: 'true' }],
  ['the password itself is never sent', { ...PLAIN, CRIER_KAFKA_SASL_MECHANISM: 'scram-sha-256' }],
  ['Kafka is on this machine', { ...PLAIN, CRIER_KAFKA_BROKERS: 'localhost:9092,127.0.0.1:9093,[::1]:9092' }],
  ['Cassandra is on this machine', { ...CASSANDRA, CRIER_CASSANDRA_CONTACT_POINTS: '127.0.0.1:9042,[::1]' }],
  ['Cassandra is spoken to by TLS', { ...CASSANDRA, CRIER_CASSANDRA_TLS: 'true' }],
])('there is no warning where %s', (_, more) => {
  expect(warningsWith(more)).toEqual([]);
});

test('an embedded process has no engines to warn of', () => {
  expect(warningsWith({ ...PLAIN, CRIER_KAFKA_BROKERS: 'kafka:9092' }, {})).toEqual([]);
});

const LIVE = { CRIER_NETWORKS: 'live', CRIER_X_CLIENT_ID: 'a', CRIER_X_CLIENT_SECRET: 'planted' };

test('with the real Networks and no mail server it is warned that nobody can sign in', () => {
  expect(warningsWith(LIVE, {})).toEqual([expect.stringMatching(/^CRIER_SMTP_URL is missing.*nobody can sign in/)]);
  const mail = { CRIER_SMTP_URL: 'smtps://u:planted@mail.example.com', CRIER_MAIL_FROM: 'crier@example.com' };
  expect(warningsWith({ ...LIVE, ...mail }, {})).toEqual([]);
  expect(warningsWith({ ...LIVE, CRIER_ROLES: 'publisher' })).toEqual([]);
});
