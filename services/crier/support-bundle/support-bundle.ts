import { ConfigError, readConfig, type Config, type Environment } from '#config/config.ts';
import { SETTINGS, type SettingName } from '#config/settings.ts';
import { VERSION } from '#config/version.ts';
import type { Clock } from '#ports/clock.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import { gatherParts, type BundlePart } from './bundle-part.ts';
import { knownSecrets } from './known-secrets.ts';
import { localParts } from './local-parts.ts';
import { createScrub } from './scrub.ts';
import { serverParts, type FindServer } from './server-parts.ts';
import { writeBundle, type BundleSummary } from './write-bundle.ts';

export interface SupportBundleOptions {
  readonly out: string;
  readonly env: Environment;
  readonly overrides: Partial<Record<SettingName, string>>;
  readonly log: string | null;
  readonly clock: Pick<Clock, 'now' | 'after' | 'monotonic'>;
  /** How the server of these settings is asked; throws where nothing runs. */
  readonly server: (config: Config) => ReturnType<FindServer>;
  readonly doctor: () => Promise<readonly DoctorFinding[]>;
  /** What the engines of a cluster say. */
  readonly engines: (config: Config) => Promise<readonly BundlePart[]>;
}

/**
 * Writes what somebody needs who is to help from afar: one file, without secrets and without texts of tenants. Settings
 * that are wrong, a server that is down and engines that hang cost their own parts. Rejects with `PortError` when the
 * file can not be written.
 */
export async function makeSupportBundle(options: SupportBundleOptions): Promise<BundleSummary> {
  const { out, env, overrides, clock } = options;
  const config = configOf(env, overrides);
  const findServer: FindServer = () => {
    if (config instanceof ConfigError) throw config;
    return options.server(config);
  };
  const dataDir = dataDirOf(env, overrides);
  const engines = config instanceof ConfigError || config.engine === 'embedded' ? [] : await options.engines(config);
  const parts = await gatherParts([...localParts({ ...options, dataDir }), ...serverParts(findServer), ...engines], {
    clock,
    scrub: createScrub(knownSecrets(env, dataDir)),
  });
  return writeBundle(out, { madeAt: new Date(clock.now()), release: VERSION, parts });
}

/** As a start reads it, also where other settings are wrong: its secrets are to be known, and left out. */
function dataDirOf(env: Environment, overrides: SupportBundleOptions['overrides']): string {
  const given = [overrides.dataDir, env[SETTINGS.dataDir.variable]].find((value) => (value?.trim() ?? '') !== '');
  return given?.trim() ?? SETTINGS.dataDir.fallback;
}

function configOf(env: Environment, overrides: SupportBundleOptions['overrides']): Config | ConfigError {
  try {
    return readConfig(env, overrides);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
