import { createPublicHttp, type EgressOverride } from '#adapters/undici/public-http.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import { ConfigError, type Config } from '#config/config.ts';

export interface EgressOptions {
  /** Names that this process serves itself. Read at each request, as they listen later than the client is made. */
  readonly own: () => readonly EgressOverride[];
  readonly version: string;
  /** Where clients reach the API. The User-Agent names it, so that the server which is asked can tell by whom. */
  readonly publicUrl?: string;
}

/** The HTTP client for addresses that users choose. Throws ConfigError. */
export function createEgress(
  config: Pick<Config, 'egressOverrides'>,
  { own, version, publicUrl }: EgressOptions,
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
