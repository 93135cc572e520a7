import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createAuthority, issueCertificate } from '#adapters/node-crypto/certificates.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { until } from '#testing/until.ts';
import { PemWatch } from './pem-watch.ts';

const validity = { fromMs: Date.now() - 60_000, untilMs: Date.now() + 3_600_000 };
const authority = createAuthority('Watched', ['engines.test'], validity);
const issue = () => issueCertificate(authority, ['crier.engines.test'], validity, 'client');

describe('files of certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-pem-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const config = {
    ...{ kafkaCa: null, kafkaCert: join(folder, 'cert.pem'), kafkaKey: join(folder, 'key.pem') },
    ...{ cassandraCa: null, cassandraCert: null, cassandraKey: null },
    ...{ adminTlsCa: null, adminTlsCert: null, adminTlsKey: null, tlsCert: null, tlsKey: null },
  };
  const write = (cert: string, key: string): void => {
    writeFileSync(config.kafkaCert, cert);
    writeFileSync(config.kafkaKey, key);
  };

  test('are read again when they change; what can not be used is reported once, and changes nothing', async () => {
    const [first, second] = [issue(), issue()];
    const reporter = createMemoryReporter();
    const watch = new PemWatch({ clock: createSystemClock(), reporter, everyMs: 5 });
    const told = (event: 'certificates-renewed' | 'certificates-refused'): number => reporter.of(event).length;
    write(first.certificate, first.key);
    const { texts } = watch.watch('kafka', config);
    expect(texts()).toEqual({ cert: first.certificate, key: first.key });

    writeFileSync(config.kafkaCert, second.certificate);
    await until(() => told('certificates-refused') === 1, { what: 'a half pair is reported', withinMs: 60_000 });
    expect(texts()).toEqual({ cert: first.certificate, key: first.key });

    writeFileSync(config.kafkaKey, second.key);
    await until(() => told('certificates-renewed') === 1, { what: 'the pair is used', withinMs: 60_000 });
    expect(texts()).toEqual({ cert: second.certificate, key: second.key });

    rmSync(config.kafkaKey);
    await until(() => told('certificates-refused') === 2, { what: 'a lost file is reported', withinMs: 60_000 });
    expect(texts()).toEqual({ cert: second.certificate, key: second.key });
    watch.stop();
  });

  test('are followed through links, by which volumes replace them', async () => {
    const [first, second] = [issue(), issue()];
    const versions = [first, second].map(({ certificate, key }, index) => {
      const [cert, keyFile] = [join(folder, `cert-${index}`), join(folder, `key-${index}`)];
      writeFileSync(cert, certificate);
      writeFileSync(keyFile, key);
      return [cert, keyFile] as const;
    });
    const point = ([cert, key]: readonly [string, string]): void => {
      for (const [target, link] of [
        [cert, config.kafkaCert],
        [key, config.kafkaKey],
      ] as const) {
        symlinkSync(target, `${link}.new`);
        renameSync(`${link}.new`, link);
      }
    };
    point(versions[0]!);
    const watch = new PemWatch({ clock: createSystemClock(), reporter: createMemoryReporter(), everyMs: 5 });
    const { texts } = watch.watch('kafka', config);
    expect(texts().cert).toBe(first.certificate);
    point(versions[1]!);
    await until(() => texts().cert === second.certificate, { what: 'the new files', withinMs: 60_000 });
    watch.stop();
  });
});
