import type { Config } from '#config/config.ts';
import type { ListenerTls } from '#http-server/listener.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { PemWatch } from '../engines/pem-watch.ts';

export interface PublicTls {
  /** Null: the public listener speaks HTTP, and TLS ends before it. */
  readonly listener: ListenerTls | null;
  close(): Promise<void>;
}

/** The TLS of the public listener; its files are read again when they change. Throws ConfigError. */
export function createPublicTls(
  config: Config,
  ports: { readonly clock: Pick<Clock, 'after'>; readonly reporter: Reporter },
): PublicTls {
  const { tlsCert, tlsKey, roles } = config;
  const files = new PemWatch(ports);
  const close = async (): Promise<void> => files.stop();
  if (tlsCert === null || tlsKey === null || !roles.some((role) => role === 'ingress' || role === 'app'))
    return { listener: null, close };
  return { listener: files.watch('public', config), close };
}
