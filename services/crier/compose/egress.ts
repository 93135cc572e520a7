import { createPublicHttp, type EgressOverride } from '#adapters/undici/public-http.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import { ConfigError, type Config } from '#config/config.ts';
import { version } from '../version.ts';

/**
 * The way out to addresses that users choose. `own`: names that the process itself serves, asked for with each request
 * because they listen later than this is made. `publicUrl`: where clients reach the API; who is asked for a file finds
 * there who asks. Throws ConfigError.
 */
export function createEgress(
  config: Pick<Config, 'egressOverrides'>,
  own: () => readonly EgressOverride[],
  publicUrl?: string,
): PublicHttp & { close(): Promise<void> } {
  const given = config.egressOverrides.map(overrideOf);
  const twice = given.find(({ name }, index) => given.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined)
    throw new ConfigError(`CRIER_EGRESS_OVERRIDES has "${twice.name}" twice: name each host once`);
  return createPublicHttp({
    overrides: () => [...given, ...own()],
    userAgent: `Crier/${version}${publicUrl === undefined ? '' : ` (+${publicUrl})`}`,
  });
}

/** Of the form that reading the settings has checked. */
function overrideOf(entry: string): EgressOverride {
  const [, name = '', host = '', port = ''] = /^([^=]+)=(.+):(\d+)$/.exec(entry) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535)
    throw new ConfigError(`CRIER_EGRESS_OVERRIDES has "${entry}": a port is a number from 1 to 65535`);
  return { name: name.toLowerCase(), host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}
