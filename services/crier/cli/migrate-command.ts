import { environment, readConfig } from '#config/config.ts';
import { migrateCluster } from '../engines/cluster.ts';
import type { Flags } from './flags.ts';

/** `crier migrate`: may be repeated, and runs one at a time; `--dry-run` prints what would be done. */
export async function migrateCommand(flags: Flags): Promise<number> {
  const config = readConfig(environment(), { engine: 'cluster', ...flags.settings });
  if (config.engine === 'embedded') {
    process.stdout.write('An embedded installation migrates itself when it starts.\n');
    return 0;
  }
  const { steps, schemaVersion } = await migrateCluster(config, flags.dryRun);
  const end = `${flags.dryRun ? 'would be' : 'is'} at schema version ${schemaVersion}${steps.length === 0 ? ': nothing was missing' : ''}`;
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ steps, schemaVersion, dryRun: flags.dryRun })}\n`
      : `${[...steps, end].join('\n')}\n`,
  );
  return 0;
}
