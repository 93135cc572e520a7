import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { createKafkaLog } from '#adapters/kafka/log.ts';
import { createVideoCheck } from '#adapters/ffmpeg/presence.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { configWarnings } from '#config/warnings.ts';
import { ConfigError, environment, readConfig, type Config } from '#config/config.ts';
import { readSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { cassandraOf, kafkaOf, objectStorageOf } from '../engines/cluster.ts';
import { networkFindings } from './networks.ts';
import type { DoctorFinding } from './finding.ts';
import type { Flags } from '../cli/flags.ts';
import { RUNNING_FILE } from '../cli/running-installation.ts';
import { readPrivate } from '../engines/secrets.ts';
import { table } from '../cli/text-table.ts';

const MIN_NODE = 24;

/**
 * `crier doctor`: exit code 1 when something would keep Crier, or a part of its work, from running. Changes nothing.
 */
export async function doctor(flags: Flags): Promise<number> {
  const findings = [node(), ...(await bySettings(flags))];
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(findings)}\n`
      : `${table(findings.map(({ check, ok, detail }) => ({ check, ok: ok ? 'ok' : 'NO', detail })))}\n`,
  );
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

function node(): DoctorFinding {
  const { node: version } = process.versions;
  const ok = Number(version.split('.')[0]) >= MIN_NODE;
  return {
    check: 'node',
    ok,
    detail: ok ? version : `${version}: run bin/crier, which uses the Node ${MIN_NODE} of node_modules (npm ci)`,
  };
}

async function bySettings(flags: Flags): Promise<readonly DoctorFinding[]> {
  let config: Config;
  try {
    config = readConfig(environment(), flags.settings);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ check: 'settings', ok: false, detail: error.message }];
  }
  const engine =
    config.engine === 'embedded'
      ? [folder(config), embeddedFiles(config)]
      : await Promise.all([cassandra(config), kafka(config), files(config)]);
  const warnings = configWarnings(config).map((detail) => ({ check: 'warning', ok: true, detail }));
  return [
    { check: 'settings', ok: true, detail: `engine ${config.engine}, roles ${config.roles.join(', ')}` },
    ...warnings,
    ...engine,
    await videos(config),
    ...(await ports(config)),
    ...networkFindings(config),
  ];
}

function folder(config: Config): DoctorFinding {
  const path = resolve(config.dataDir);
  const nearest = existsSync(path) ? path : dirname(path);
  try {
    accessSync(nearest, constants.W_OK);
    return { check: 'data folder', ok: true, detail: path };
  } catch {
    return {
      check: 'data folder',
      ok: false,
      detail: `${nearest} can't be written by this user: give it to the user, or name another with --data-dir`,
    };
  }
}

async function ports(config: Config): Promise<readonly DoctorFinding[]> {
  const running = config.engine === 'embedded' && readPrivate(`${config.dataDir}/${RUNNING_FILE}`) !== null;
  const wanted: Readonly<Record<string, readonly [host: string, port: number]>> = {
    API: [config.host, config.port],
    admin: [config.adminHost, config.adminPort],
    ...(config.networks === 'sandbox' && { sandbox: [config.sandboxHost, config.sandboxPort] }),
  };
  return Promise.all(
    Object.entries(wanted).map(async ([what, [host, port]]) => {
      const free = port === 0 || (await canListen(host, port));
      if (free) return { check: `${what} port`, ok: true, detail: `${port} is free` };
      return {
        check: `${what} port`,
        ok: running,
        detail: running
          ? `${port} is in use, and Crier runs on this data folder`
          : `${port} is in use by another program: choose another`,
      };
    }),
  );
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });
}

async function cassandra(config: Config): Promise<DoctorFinding> {
  const store = createCassandraTableStore(cassandraOf(config));
  try {
    const version = await readSchemaVersion(store);
    const ok = version >= SCHEMA_VERSION;
    return {
      check: 'cassandra',
      ok,
      detail: ok
        ? `schema version ${version}`
        : `keyspace ${config.cassandraKeyspace} is at schema version ${version}, this release needs ${SCHEMA_VERSION}: run crier migrate`,
    };
  } catch (error) {
    return { check: 'cassandra', ok: false, detail: (error as Error).message };
  } finally {
    await store.close();
  }
}

async function kafka(config: Config): Promise<DoctorFinding> {
  const log = createKafkaLog({
    ...kafkaOf(config),
    topics: TOPICS,
    prefix: config.kafkaTopicPrefix,
    clock: createSystemClock(),
  });
  try {
    await log.check();
    return { check: 'kafka', ok: true, detail: 'answers, and has the topics' };
  } catch (error) {
    return { check: 'kafka', ok: false, detail: (error as Error).message };
  } finally {
    await log.close();
  }
}

function embeddedFiles({ dataDir }: Config): DoctorFinding {
  return { check: 'media files', ok: true, detail: `${resolve(dataDir, 'blobs')}, in the data folder` };
}

/** Checked whatever roles the settings name: another process on this machine may have others. */
async function videos(config: Config): Promise<DoctorFinding> {
  const off = await createVideoCheck({ ffmpeg: config.ffmpeg, ffprobe: config.ffprobe })();
  const names = `CRIER_FFMPEG is ${config.ffmpeg}, CRIER_FFPROBE is ${config.ffprobe}`;
  const detail =
    off === null
      ? names
      : `${off} Until then videos are refused with this message; pictures and text are taken. ${names}`;
  return { check: 'videos', ok: off === null, detail };
}

/** A folder counts as right: whether other machines share it can only be seen on them. */
async function files(config: Config): Promise<DoctorFinding> {
  const store = objectStorageOf(config);
  if (store === null)
    return {
      check: 'media files',
      ok: true,
      detail: `${resolve(config.dataDir)}, which all roles have to share: name a bucket with CRIER_S3_BUCKET where they are on several machines`,
    };
  try {
    await store.check();
    return { check: 'media files', ok: true, detail: `bucket ${config.s3Bucket} answers` };
  } catch (error) {
    return {
      check: 'media files',
      ok: false,
      detail: `bucket ${config.s3Bucket} can't be used (${(error as Error).message}): look at the CRIER_S3_ settings`,
    };
  } finally {
    store.close();
  }
}
