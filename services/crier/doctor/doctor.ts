import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readClockLead } from '#adapters/cassandra/keyspace-facts.ts';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { createKafkaLog } from '#adapters/kafka/log.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { confinementWords, findConfinement } from '#adapters/child-process/confinement.ts';
import { createVideoCheck } from '#adapters/ffmpeg/presence.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { configWarnings } from '#config/warnings.ts';
import { ConfigError, environment, readConfig, type Config } from '#config/config.ts';
import { PortError } from '#ports/errors.ts';
import { checkReadable, readSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { refuseHalfRestored } from '#tables/repositories/restoring.ts';
import { checkFormat, readStoredFormat } from '#tables/repositories/written-formats.ts';
import { secretTrouble, unknownKeysTold, unknownSealingKeys } from '#tables/repositories/secret-probe.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { refuseUnfinishedRestore } from '../backup/unfinished-restore.ts';
import { smtpMailerOf } from '../compose/mail.ts';
import { cassandraOf, kafkaOf, objectStorageOf } from '../engines/cluster.ts';
import { nearestOf } from '../engines/data-bytes.ts';
import { conversionFindings } from './conversions.ts';
import { clockFindings, clusterFindings, embeddedFindings } from './installation.ts';
import { listenerFindings } from './listeners.ts';
import { connectableNetworks, networkFindings } from './networks.ts';
import { readPaxosFindings } from './paxos.ts';
import type { DoctorFinding } from './finding.ts';
import { tlsTrouble } from './tls-trouble.ts';
import type { Flags } from '../cli/flags.ts';
import { table } from '../cli/text-table.ts';

const MIN_NODE = 24;

/**
 * `crier doctor`: exit code 1 when something would keep Crier, or a part of its work, from running. Changes nothing.
 */
export async function doctor(flags: Flags): Promise<number> {
  const findings = await doctorFindings(flags);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(findings)}\n`
      : `${table(findings.map(({ check, ok, detail }) => ({ check, ok: ok ? 'ok' : 'NO', detail })))}\n`,
  );
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

export async function doctorFindings(flags: Pick<Flags, 'settings' | 'inPod'>): Promise<readonly DoctorFinding[]> {
  return [node(), ...(await bySettings(flags))];
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

async function bySettings(flags: Pick<Flags, 'settings' | 'inPod'>): Promise<readonly DoctorFinding[]> {
  let config: Config;
  try {
    config = readConfig(environment(), flags.settings);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((detail) => ({ check: 'settings', ok: false, detail }));
  }
  const engine =
    config.engine === 'embedded'
      ? [folder(config), embeddedFiles(config), ...(await embeddedData(config))]
      : (await Promise.all([cassandra(config), kafka(config), files(config), clusterData(config)])).flat();
  const warnings = configWarnings(config, environment()).map((detail) => ({ check: 'warning', ok: true, detail }));
  return [
    { check: 'settings', ok: true, detail: `engine ${config.engine}, roles ${config.roles.join(', ')}` },
    ...warnings,
    ...engine,
    ...(await videos(config)),
    ...conversionFindings(config),
    ...(await listenerFindings(config, flags.inPod)),
    ...(await mail(config)),
    ...networkFindings(config),
    ...canary(config),
  ];
}

/** That it is on is worth a line; off is how it is. */
function canary({ canary: state, canaryEverySeconds, roles }: Config): readonly DoctorFinding[] {
  if (state === 'off') return [];
  const here = roles.includes('ingress')
    ? `a Post each ${canaryEverySeconds} s, of all processes in one; nothing of it leaves the processes`
    : 'not in this process, which has no role ingress';
  return [{ check: 'canary', ok: true, detail: here }];
}

function folder(config: Config): DoctorFinding {
  const path = resolve(config.dataDir);
  const nearest = nearestOf(path);
  if (!statSync(nearest).isDirectory())
    return { check: 'data folder', ok: false, detail: `${nearest} is a file: name a folder with --data-dir` };
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

async function cassandra(config: Config): Promise<DoctorFinding> {
  const store = createCassandraTableStore(cassandraOf(config));
  try {
    const version = await readSchemaVersion(store);
    checkReadable(version);
    if (version > 0) checkFormat(await readStoredFormat(store));
    const ok = version >= SCHEMA_VERSION;
    if (ok) await refuseHalfRestored(store);
    const secretBox = createSecretBox({ secret: config.secret!, previousSecrets: config.previousSecrets });
    const trouble = ok ? await secretTrouble(store, secretBox) : null;
    if (trouble !== null) return { check: 'secret', ok: false, detail: trouble };
    const unknown = ok ? await unknownSealingKeys(store, secretBox) : [];
    if (unknown.length > 0) return { check: 'secret', ok: false, detail: unknownKeysTold(unknown) };
    return {
      check: 'cassandra',
      ok,
      detail: ok
        ? `schema version ${version}`
        : `keyspace ${config.cassandraKeyspace} is at schema version ${version}, this release needs ${SCHEMA_VERSION}: run crier migrate`,
    };
  } catch (error) {
    return { check: 'cassandra', ok: false, detail: tlsTrouble('cassandra', error) ?? (error as Error).message };
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
    return { check: 'kafka', ok: false, detail: tlsTrouble('kafka', error) ?? (error as Error).message };
  } finally {
    await log.close();
  }
}

async function embeddedData(config: Config): Promise<readonly DoctorFinding[]> {
  try {
    refuseUnfinishedRestore(resolve(config.dataDir));
    return await embeddedFindings(config, createSystemClock());
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [{ check: 'data', ok: false, detail: error.message }];
  }
}

/** Nothing where Cassandra can not be asked, or is not migrated: the check of Cassandra tells of that. */
async function clusterData(config: Config): Promise<readonly DoctorFinding[]> {
  const store = createCassandraTableStore(cassandraOf(config));
  const objects = objectStorageOf(config);
  const folder = resolve(config.dataDir, 'blobs');
  try {
    const blobs = objects ?? (await createFilesystemBlobStore({ folder, shared: true }));
    const name = objects === null ? folder : `bucket ${config.s3Bucket}`;
    const { leadMs, tookMs } = await readClockLead(cassandraOf(config));
    const slack = Math.sign(leadMs) * Math.min(Math.abs(leadMs), tookMs / 2);
    return [
      ...(await readPaxosFindings(cassandraOf(config))),
      ...clockFindings({ name: "Cassandra's", leadMs: leadMs - slack, isBoth: true }),
      ...(await clusterFindings(store, { blobs, name, connectable: connectableNetworks(config) }, createSystemClock())),
    ];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [];
  } finally {
    await store.close();
    objects?.close();
  }
}

function embeddedFiles({ dataDir }: Config): DoctorFinding {
  return { check: 'media files', ok: true, detail: `${resolve(dataDir, 'blobs')}, in the data folder` };
}

/** The roles that take or convert files need the tools. */
async function videos(config: Config): Promise<readonly DoctorFinding[]> {
  if (!config.roles.includes('ingress') && !config.roles.includes('media')) return [];
  const off = await createVideoCheck({ ffmpeg: config.ffmpeg, ffprobe: config.ffprobe })();
  const names = `CRIER_FFMPEG is ${config.ffmpeg}, CRIER_FFPROBE is ${config.ffprobe}`;
  const detail =
    off === null
      ? names
      : `${off} Until then videos are refused with this message; pictures and text are taken. ${names}`;
  const confined = confinementWords(await findConfinement());
  return [
    { check: 'videos', ok: off === null, detail },
    { check: 'converters', ok: true, detail: `programs that open uploaded files are confined by ${confined.detail}` },
  ];
}

/** Asks the mail server that is set; that one is missing is a warning. */
async function mail(config: Config): Promise<readonly DoctorFinding[]> {
  const mailer = await smtpMailerOf(config);
  if (mailer === null) return [];
  try {
    await mailer.check();
    return [{ check: 'mail', ok: true, detail: `the mail server answers; mail comes from ${config.mailFrom}` }];
  } catch (error) {
    return [{ check: 'mail', ok: false, detail: `${(error as Error).message}: look at CRIER_SMTP_URL` }];
  } finally {
    await mailer.close();
  }
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
