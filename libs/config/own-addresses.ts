import type { Config } from './values.ts';

/** A listener on one of these has every address of the machine, 127.0.0.1 among them. */
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::', '[::]'];

/** Whether a listener at `host` listens at every address of the machine; no other machine can reach it by that name. */
export const isEveryAddress = (host: string): boolean => EVERY_ADDRESS.includes(host);

/**
 * Whether a name or address leads back to this machine, whatever the DNS says. `host` is as `URL.hostname` or a setting
 * writes it.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Where other roles reach this process. Every port given. */
export function internalUrlOf(
  config: Pick<Config, 'internalUrl' | 'adminHost' | 'adminPort' | 'adminTlsCert'>,
): string {
  const scheme = config.adminTlsCert === null ? 'http' : 'https';
  return config.internalUrl ?? urlAt(scheme, config.adminHost, config.adminPort);
}

/** Where processes reach the sandbox Networks. Every port given. */
function sandboxInternalUrlOf(config: Pick<Config, 'sandboxUrl' | 'sandboxHost' | 'sandboxPort'>): string {
  return config.sandboxUrl ?? urlAt('http', config.sandboxHost, config.sandboxPort);
}

/** The addresses of this installation as others use them, without a slash at the end. */
export interface OwnAddresses {
  /** Where other roles reach this process. */
  readonly internalUrl: string;
  /** Where clients reach the API. */
  readonly publicUrl: string;
  /** Where Networks fetch files of Posts. */
  readonly mediaUrl: string;
  /** Where people find the sandbox Networks, and below what these say that they are. */
  readonly sandboxUrl: string;
  /** Where processes reach that. */
  readonly sandboxInternalUrl: string;
}

/** Every port given. */
export function ownAddressesOf(config: Config): OwnAddresses {
  const publicUrl = publicUrlOf(config);
  const sandboxInternalUrl = sandboxInternalUrlOf(config);
  return {
    internalUrl: internalUrlOf(config),
    publicUrl,
    mediaUrl: config.mediaUrl ?? publicUrl,
    sandboxUrl: config.sandboxPublicUrl ?? sandboxInternalUrl,
    sandboxInternalUrl,
  };
}

/** Where clients reach the API: CRIER_PUBLIC_URL, or else where ingress listens. Every port given. */
export function publicUrlOf({ publicUrl, tlsCert, host, port }: Config): string {
  return publicUrl ?? `${tlsCert === null ? 'http' : 'https'}://${bracketed(host)}:${port}`;
}

function urlAt(scheme: 'http' | 'https', host: string, port: number): string {
  const reached = isEveryAddress(host) ? '127.0.0.1' : host;
  return `${scheme}://${bracketed(reached)}:${port}`;
}

/** A host as URLs write it: IPv6 in brackets. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
