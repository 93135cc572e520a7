import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { createSystemClock } from '#adapters/system/clock.ts';
import { environment, readConfig, type Config } from '#config/config.ts';
import { backUp } from '../backup/back-up.ts';
import { isMark } from '../backup/mark-file.ts';
import { bytesInWords } from '../backup/bytes-in-words.ts';
import type { Manifest } from '../backup/manifest.ts';
import { verifyBackup } from '../backup/verify.ts';
import type { Flags } from './flags.ts';

const WRONG_USAGE = 2;

/** `crier backup [--to=PATH]`, and `crier backup --verify --from=PATH`, of a folder or of a cluster. */
export async function backupCommand(flags: Flags): Promise<number> {
  const { from, to, verify, withFiles, json } = flags;
  const isRight = verify ? from !== null && to === null && !withFiles : from === null;
  if (!isRight || flags.words.length > 0) return wrongUsage();
  prepareProcess();
  // An archive is checked by itself, a mark against the cluster of the settings.
  if (verify && !isMark(from!)) return check(from!, json);
  const config = readConfig(environment(), flags.settings);
  if (config.engine === 'cluster' && !withFiles) {
    return verify
      ? (await import('./cluster-backup-command.ts')).verifyCluster(config, { from: from!, json })
      : (await import('./cluster-backup-command.ts')).backUpCluster(config, { to, json });
  }
  return to === null || config.engine === 'cluster' ? wrongUsage() : write(config, flags, to);
}

/** Files are for this user alone, and whoever serves clients goes first. */
export function prepareProcess(): void {
  process.umask(0o077);
  setPriority(constants.priority.PRIORITY_LOW);
}

async function write(config: Config, { withFiles, json }: Flags, to: string): Promise<number> {
  const manifest = await backUp({ config, to, withFiles, clock: createSystemClock() });
  const former =
    config.previousSecrets.length === 0
      ? []
      : ['Former secrets are not in it: keep CRIER_PREVIOUS_SECRETS too, for as long as you keep the backup.'];
  const lines = [
    `${resolve(to)}: ${describe(manifest)}`,
    ...notes(manifest),
    ...former,
    `Check it: crier backup --verify=${to}`,
  ];
  process.stdout.write(json ? `${JSON.stringify(shortened(manifest))}\n` : `${lines.join('\n')}\n`);
  return 0;
}

async function check(from: string, json: boolean): Promise<number> {
  const { manifest, troubles } = await verifyBackup(from, createSystemClock());
  const ok = troubles.length === 0;
  const facts = manifest === null ? [] : [describe(manifest), ...notes(manifest)];
  const lines = ok ? [...facts, 'It is whole.'] : troubles;
  process.stdout.write(
    json
      ? `${JSON.stringify({ ok, troubles, ...(manifest !== null && { manifest: shortened(manifest) }) })}\n`
      : lines.map((line) => `${resolve(from)}: ${line}\n`).join(''),
  );
  return ok ? 0 : 1;
}

function describe({ snapshotAt, release, schemaVersion, rows, entries }: Manifest): string {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return `an embedded installation as of ${snapshotAt}, release ${release}, schema version ${schemaVersion}, ${count} rows in ${Object.keys(rows).length} tables, ${bytesInWords(bytes)} in ${entries.length} entries`;
}

/** What is not in it. */
function notes({ secrets, files }: Manifest): readonly string[] {
  return [
    ...(secrets === 'included'
      ? []
      : ['The secret of the installation is not in it: it is set by CRIER_SECRET, so keep that yourself.']),
    ...(files === 'included'
      ? []
      : ['Files are not in it: copy the folder blobs of the data folder too, or back up with --with-files.']),
  ];
}

/** Files may be very many. */
function shortened({ entries, ...manifest }: Manifest): object {
  return { ...manifest, entries: entries.length };
}

function wrongUsage(): number {
  process.stderr.write(
    'crier: crier backup --to=PATH [--with-files], crier backup --verify --from=PATH, or of a cluster crier backup [--to=MARK]\n',
  );
  return WRONG_USAGE;
}
