import type { Config } from './config.ts';

/** Listening on one of these is listening on every address of the machine; 127.0.0.1 is one of them. */
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::', '[::]'];

/**
 * Whether a name or address leads back to the machine that asks, whoever answers for names. As `URL.hostname` writes
 * it, or as a setting does.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Where other roles reach this process. Every port given. */
export function internalUrlOf(config: Pick<Config, 'internalUrl' | 'adminHost' | 'adminPort'>): string {
  return config.internalUrl ?? httpAt(config.adminHost, config.adminPort);
}

/** Where the sandbox Networks are. Every port given. */
export function sandboxUrlOf(config: Pick<Config, 'sandboxUrl' | 'sandboxHost' | 'sandboxPort'>): string {
  return config.sandboxUrl ?? httpAt(config.sandboxHost, config.sandboxPort);
}

function httpAt(host: string, port: number): string {
  const reached = EVERY_ADDRESS.includes(host) ? '127.0.0.1' : host;
  return `http://${reached.includes(':') && !reached.startsWith('[') ? `[${reached}]` : reached}:${port}`;
}
