import { join } from 'node:path';
import { ConfigError, type Config } from '#config/config.ts';
import { internalUrlOf } from '#config/own-addresses.ts';
import { readPrivate } from '../engines/secrets.ts';

/** Written while the embedded installation runs, for the command line: the address of admin and its token. */
export const RUNNING_FILE = 'running.json';

export interface RunningInstallation {
  readonly adminUrl: string;
  readonly adminToken: string;
  /** Path of the authorities that signed its certificate; null: the system's did, or it speaks HTTP. */
  readonly adminCa?: string | null;
}

/** How to call admin: from the settings, or from the file of the embedded installation on the data folder. */
export function runningInstallationOf(config: Config): RunningInstallation {
  if (config.adminToken !== null)
    return { adminUrl: internalUrlOf(config), adminToken: config.adminToken, adminCa: config.adminTlsCa };
  const running = readPrivate<RunningInstallation>(join(config.dataDir, RUNNING_FILE));
  if (running === null)
    throw new ConfigError(
      `nothing runs on the data folder ${config.dataDir}: start it with crier start, or name another with --data-dir, or set CRIER_INTERNAL_URL and CRIER_ADMIN_TOKEN`,
    );
  return { ...running, adminCa: config.adminTlsCa ?? running.adminCa ?? null };
}
