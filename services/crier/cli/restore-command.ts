import { resolve } from 'node:path';
import { createSystemClock } from '#adapters/system/clock.ts';
import { environment, readConfig } from '#config/config.ts';
import { unknownKeysTold } from '#tables/repositories/secret-probe.ts';
import { restoreBackup, type RestoreReport } from '../backup/restore.ts';
import { prepareProcess } from './backup-command.ts';
import type { Flags } from './flags.ts';

const WRONG_USAGE = 2;

/** `crier restore --from=PATH`, into the data folder or onto the empty cluster of the settings. */
export async function restoreCommand({ settings, from, words, json }: Flags): Promise<number> {
  if (from === null || words.length > 0) {
    process.stderr.write('crier: crier restore --from=PATH [--data-dir=FOLDER]\n');
    return WRONG_USAGE;
  }
  prepareProcess();
  const config = readConfig(environment(), settings);
  if (config.engine === 'cluster')
    return (await import('./cluster-backup-command.ts')).restoreCluster(config, { from, json });
  const restored = await restoreBackup({ config, from, clock: createSystemClock() });
  const { manifest, files, unknownKeys } = restored;
  const facts = {
    dataDir: resolve(config.dataDir),
    snapshotAt: manifest.snapshotAt,
    secrets: manifest.secrets,
    files,
    unknownKeys,
  };
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${linesOf(facts.dataDir, restored).join('\n')}\n`);
  return 0;
}

function linesOf(folder: string, { manifest, files, unknownKeys }: RestoreReport): readonly string[] {
  return [
    `${folder} has the installation as of ${manifest.snapshotAt}.`,
    ...(manifest.secrets === 'included'
      ? []
      : ['Its secret was set by CRIER_SECRET and is not in the backup: set that one before you start it.']),
    ...(unknownKeys.length === 0 ? [] : [`In it, ${unknownKeysTold(unknownKeys)}.`]),
    filesLine(folder, files),
    `Publishing is held. Start it, look around, then release: crier admin publishing.release '{"restored":{"overdue":"ask"}}'`,
  ];
}

function filesLine(folder: string, { named, missing, examples }: RestoreReport['files']): string {
  if (missing === 0) return `Its rows name ${named} files, and all are here.`;
  return `Its rows name ${named} files, and ${missing} are missing in ${folder}/blobs (${examples.join(', ')}): put them there before you release publishing.`;
}
