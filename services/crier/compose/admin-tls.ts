import { createTrustingFetch, type TrustingFetch } from '#adapters/undici/trusting-fetch.ts';
import type { Config } from '#config/config.ts';
import type { Clock } from '#ports/clock.ts';
import type { ListenerTls } from '#http-server/listener.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { PemWatch } from '../engines/pem-watch.ts';

export interface AdminTls {
  /** Null: the admin listener speaks HTTP. */
  readonly server: ListenerTls | null;
  /** To the admin listeners of other processes. */
  readonly fetch: TrustingFetch['fetch'];
  close(): Promise<void>;
}

/** The TLS of the admin listener and of calls to those of others; its files are read again when they change. */
export function createAdminTls(
  config: Config,
  ports: { readonly clock: Pick<Clock, 'after'>; readonly reporter: Reporter },
): AdminTls {
  const files = new PemWatch(ports);
  const watched = files.watch('admin', config);
  const { fetch, close } = createTrustingFetch(() => watched.texts().ca);
  return {
    server: config.adminTlsCert === null ? null : watched,
    fetch,
    close: async () => {
      files.stop();
      await close();
    },
  };
}
