import { createPublicHttp, type EgressOverride } from '#adapters/undici/public-http.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import { ConfigError, type Config } from '#config/config.ts';

export interface EgressOptions {
  /** Names that this process serves itself. Read at each request, as they listen later than the client is made. */
  readonly own: () => readonly EgressOverride[];
  /** What requests say of themselves: `userAgentOf`. */
  readonly userAgent: string;
}

/** The HTTP client for addresses that users choose. Throws ConfigError. */
export function createEgress(
  config: Pick<Config, 'egressOverrides' | 'egressAllow' | 'egressDeny' | 'egressProxy'>,
  { own, userAgent }: EgressOptions,
): PublicHttp & { close(): Promise<void> } {
  const given = config.egressOverrides.map(overrideOf);
  const twice = given.find(({ name }, index) => given.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined)
    throw new ConfigError(`CRIER_EGRESS_OVERRIDES has "${twice.name}" twice: name each host once`);
  return createPublicHttp({
    overrides: () => [...given, ...own()],
    userAgent,
    rules: { allow: config.egressAllow, deny: config.egressDeny },
    proxy: config.egressProxy === null ? null : new URL(config.egressProxy),
  });
}

/** Of the form that reading the settings has checked. */
function overrideOf(entry: string): EgressOverride {
  const [, name = '', host = '', port = ''] = /^([^=]+)=(.+):(\d+)$/.exec(entry) ?? [];
  return { name: name.toLowerCase(), host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}
