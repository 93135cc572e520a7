import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { createKafkaLog } from '#adapters/kafka/log.ts';
import { createAuthority, issueCertificate } from '#adapters/node-crypto/certificates.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { readConfig } from '#config/config.ts';
import type { PemTexts } from '#config/pem-files.ts';
import { cassandraOf, kafkaOf } from './cluster.ts';

const validity = { fromMs: Date.now() - 60_000, untilMs: Date.now() + 3_600_000 };
const authority = createAuthority('Both sides', ['engines.test', '127.0.0.1'], validity);
const folder = mkdtempSync(join(tmpdir(), 'crier-tls-'));
const ca = join(folder, 'ca.pem');

/** An engine that ends every connection as soon as it knows whose it is. */
let server: Server;
const clients: string[] = [];

beforeAll(async () => {
  writeFileSync(ca, authority.certificate);
  const { certificate, key } = issueCertificate(authority, ['engines.test', '127.0.0.1'], validity);
  server = createServer({ cert: certificate, key, ca: authority.certificate, requestCert: true }, (socket) => {
    clients.push(socket.authorized ? String(socket.getPeerCertificate().subject.CN) : 'a stranger');
    socket.destroy();
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

test.each(['kafka', 'cassandra'] as const)('a new connection to %s shows the certificate of then', async (engine) => {
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = readConfig({
    ...{ CRIER_ENGINE: 'cluster', CRIER_ADMIN_TOKEN: 'an-admin-token-of-tests' },
    CRIER_SECRET: 'a-master-secret-of-tests-only-123',
    ...{ CRIER_KAFKA_BROKERS: at, CRIER_KAFKA_TLS: 'true', CRIER_KAFKA_CA: ca },
    ...{ CRIER_CASSANDRA_CONTACT_POINTS: at, CRIER_CASSANDRA_TLS: 'true', CRIER_CASSANDRA_CA: ca },
  });
  const textsOf = (name: string): PemTexts => {
    const { certificate, key } = issueCertificate(authority, [`${name}.engines.test`], validity, 'client');
    return { ca: authority.certificate, cert: certificate, key };
  };
  let texts = textsOf('first');
  const tls = (): PemTexts => texts;
  const open = engine === 'kafka' ? kafkaAt : cassandraAt;
  const { look, close } = open(config, tls);
  clients.length = 0;
  await look();
  expect(new Set(clients)).toEqual(new Set(['first.engines.test']));
  texts = textsOf('second');
  clients.length = 0;
  await look();
  expect(new Set(clients)).toEqual(new Set(['second.engines.test']));
  await close();
});

type Config = ReturnType<typeof readConfig>;

function kafkaAt(config: Config, tls: () => PemTexts) {
  const log = createKafkaLog({ ...kafkaOf(config, tls), topics: [], clock: createSystemClock() });
  return { look: () => log.check().catch(() => undefined), close: () => log.close() };
}

function cassandraAt(config: Config, tls: () => PemTexts) {
  const store = createCassandraTableStore(cassandraOf(config, tls));
  // Within half a second of a failure it fails without a new connection.
  const look = async (): Promise<void> => {
    while (clients.length === 0) {
      await store.check().catch(() => undefined);
      await createSystemClock().sleep(50);
    }
  };
  return { look, close: () => store.close() };
}
