import { environment, readConfig, type Config } from '#config/config.ts';
import { migrateCluster, planOfTables, verifyCluster } from '../engines/cluster.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import type { Flags } from './flags.ts';

const WRONG_USAGE = 2;

/**
 * `crier migrate`: may be repeated, and runs one at a time. `--dry-run` prints what would be done, `--print-cql` the
 * statements for an administrator who runs them by hand, `--verify` where the engines are not as this release needs
 * them. It goes by the settings of the engines alone: it opens nothing that is sealed.
 */
export async function migrateCommand(flags: Flags): Promise<number> {
  const { dryRun, printCql, verify, words } = flags;
  if ([dryRun, printCql, verify].filter(Boolean).length > 1 || words.length > 0) return wrongUsage();
  const config = configOf(flags);
  if (config.engine === 'embedded') {
    const words = 'Nothing is to do: an embedded installation (CRIER_ENGINE=embedded) migrates itself when it starts.';
    process.stdout.write(flags.json ? `${JSON.stringify({ steps: [], detail: words })}\n` : `${words}\n`);
    return 0;
  }
  if (printCql) return print(config, flags);
  return verify ? tellDifferences(config, flags) : work(config, flags);
}

/** A migration is of a cluster, unless a flag or the environment says otherwise. */
function configOf({ settings, printCql }: Flags): Config {
  const env = environment();
  const engine = env['CRIER_ENGINE']?.trim() || 'cluster';
  return readConfig({ ...env, CRIER_ENGINE: engine }, settings, printCql ? 'tables' : 'engines');
}

async function work(config: Config, { dryRun, json }: Flags): Promise<number> {
  const { steps, schemaVersion } = await migrateCluster(config, dryRun);
  const newer = schemaVersion > SCHEMA_VERSION ? ': a newer release made it, and all of it stays' : '';
  const missing = steps.length === 0 ? ': nothing was missing' : '';
  const end = `${dryRun ? 'would be' : 'is'} at schema version ${schemaVersion}${newer || missing}`;
  process.stdout.write(
    json ? `${JSON.stringify({ steps, schemaVersion, dryRun })}\n` : `${[...steps, end].join('\n')}\n`,
  );
  return 0;
}

/** Nothing but CQL, so that the output can be handed to cqlsh. */
async function print(config: Config, { json }: Flags): Promise<number> {
  const statements = await planOfTables(config);
  const lines = statements.length === 0 ? ['-- Nothing is missing.'] : statements.map((statement) => `${statement};`);
  process.stdout.write(json ? `${JSON.stringify({ statements })}\n` : `${lines.join('\n')}\n`);
  return 0;
}

async function tellDifferences(config: Config, { json }: Flags): Promise<number> {
  const differences = await verifyCluster(config);
  const lines = differences.length === 0 ? ['Nothing differs from what this release needs.'] : differences;
  process.stdout.write(json ? `${JSON.stringify({ differences })}\n` : `${lines.join('\n')}\n`);
  return differences.length === 0 ? 0 : 1;
}

function wrongUsage(): number {
  process.stderr.write('crier: crier migrate, with one of --dry-run, --print-cql and --verify, or none\n');
  return WRONG_USAGE;
}
