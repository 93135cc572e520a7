import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSystemClock } from '#adapters/system/clock.ts';
import type { Config } from '#config/config.ts';
import { PortError } from '#ports/errors.ts';
import { lookAtCluster, markOf } from '../cluster-backup/back-up-cluster.ts';
import type { ClusterFinding } from '../cluster-backup/cluster-finding.ts';
import { isMark } from '../backup/mark-file.ts';
import { readMark, type ClusterMark } from '../cluster-backup/mark.ts';
import { restoreBackupOntoCluster, type ClusterRestoreReport } from '../cluster-backup/restore-backup.ts';
import { restoreFromMark, verifyMark } from '../cluster-backup/restore-from-mark.ts';
import { backupSteps, type BackupStep } from '../cluster-backup/steps.ts';
import { table } from './text-table.ts';

/** Without a scope it ends the hold under which the backup was made, too: that came along. */
const RELEASE = `crier admin publishing.release '{}'`;

/**
 * `crier backup` of a cluster: says what stands in the way of a snapshot whose parts fit together, and the way to one.
 * With `to` it writes the mark of that snapshot, and refuses while something stands in the way.
 */
export async function backUpCluster(
  config: Config,
  { to, json }: { readonly to: string | null; readonly json: boolean },
): Promise<number> {
  const outlook = await lookAtCluster(config);
  const ready = outlook.findings.every(({ ok }) => ok);
  const now = createSystemClock().now();
  if (to !== null) {
    if (!ready) throw new PortError('refused', `no mark is written: ${troublesOf(outlook.findings)}`);
    writeNew(resolve(to), `${JSON.stringify(markOf(outlook, config, now), null, 1)}\n`);
  }
  const steps = backupSteps(config, outlook.keyspace, tagOf(now));
  const written = to === null ? [] : [`${resolve(to)} is written: take the snapshot now, before any process starts.`];
  process.stdout.write(
    json
      ? `${JSON.stringify({ ready, findings: outlook.findings, steps, ...(to !== null && { mark: resolve(to) }) })}\n`
      : `${[findingsTable(outlook.findings), ...(to === null ? steps.map(stepText) : []), ...written].join('\n')}\n`,
  );
  return ready ? 0 : 1;
}

/** `crier backup --verify --from=MARK`. */
export async function verifyCluster(
  config: Config,
  { from, json }: { readonly from: string; readonly json: boolean },
): Promise<number> {
  const findings = await verifyMark(config, markAt(from));
  const ok = findings.every((finding) => finding.ok);
  process.stdout.write(json ? `${JSON.stringify({ ok, findings })}\n` : `${findingsTable(findings)}\n`);
  return ok ? 0 : 1;
}

/** `crier restore` of a mark, whose snapshot the tables of the settings come from, or of an embedded backup. */
export async function restoreCluster(
  config: Config,
  { from, json }: { readonly from: string; readonly json: boolean },
): Promise<number> {
  const clock = createSystemClock();
  if (isMark(from)) {
    const mark = markAt(from);
    await restoreFromMark(config, mark, clock);
    const lines = [
      `Keyspace ${config.cassandraKeyspace} is the installation as of ${mark.madeAt}.`,
      `Publishing is held. Start the processes, look around, then release: ${RELEASE}`,
    ];
    process.stdout.write(
      json
        ? `${JSON.stringify({ keyspace: config.cassandraKeyspace, snapshotAt: mark.madeAt })}\n`
        : `${lines.join('\n')}\n`,
    );
    return 0;
  }
  const say = (line: string): void => void process.stderr.write(`crier: ${line}\n`);
  const restored = await restoreBackupOntoCluster(config, from, { clock, say });
  const { manifest, rows, records, files, named } = restored;
  const facts = { keyspace: config.cassandraKeyspace, snapshotAt: manifest.snapshotAt, rows, records, files, named };
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${linesOf(config, restored).join('\n')}\n`);
  return 0;
}

function linesOf(config: Config, { manifest, rows, records, files, named }: ClusterRestoreReport): readonly string[] {
  const place = config.s3Bucket === '' ? `${config.dataDir}/blobs` : `bucket ${config.s3Bucket}`;
  return [
    `Keyspace ${config.cassandraKeyspace} has the installation as of ${manifest.snapshotAt}: ${rows} rows, ${records} records of the log that were unfinished, ${files} files.`,
    named.missing === 0
      ? `Its rows name ${named.named} files, and all are in ${place}.`
      : `Its rows name ${named.named} files, and ${named.missing} are missing in ${place} (${named.examples.join(', ')}): put them there before you release publishing.`,
    `Publishing is held. Start the processes, look around, then release: ${RELEASE}`,
  ];
}

function findingsTable(findings: readonly ClusterFinding[]): string {
  return table(findings.map(({ check, ok, detail }) => ({ check, ok: ok ? 'ok' : 'NO', detail })));
}

function troublesOf(findings: readonly ClusterFinding[]): string {
  return findings.flatMap(({ check, ok, detail }) => (ok ? [] : [`${check}: ${detail}`])).join('; ');
}

function stepText({ what, commands }: BackupStep, index: number): string {
  return [`\n${index + 1}. ${what}`, ...commands.map((command) => `     ${command}`)].join('\n');
}

function tagOf(now: number): string {
  return `crier-${new Date(now).toISOString().slice(0, 16).replaceAll(/[-:]/g, '')}`;
}

function markAt(path: string): ClusterMark {
  try {
    return readMark(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new PortError('refused', `${resolve(path)}: ${(error as Error).message}`, { cause: error });
  }
}

function writeNew(path: string, text: string): void {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  try {
    const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    writeFileSync(file, text, { flush: true });
    closeSync(file);
  } catch (error) {
    throw new PortError('refused', `can't write ${path}: ${(error as Error).message}`, { cause: error });
  }
}
