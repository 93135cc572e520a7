import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServerIdentity } from '#testing/test-certificates.ts';
import type { Settings } from './crier-server.ts';

const NAME = 'hooks.test';
const nameOf = (host: number | undefined): string => (host === undefined ? NAME : `r${host}.${NAME}`);

export interface WebhookArrival {
  readonly path: string;
  readonly eventId: string;
  readonly at: number;
  /** Milliseconds since the instant in the event. */
  readonly afterMs: number;
}

/** An https server that answers 204 at once, except on hanging paths, and records when each event arrived. */
export interface WebhookReceiver {
  /** Arrivals of events, in order. */
  readonly arrivals: readonly WebhookArrival[];
  /** Settings by which a server of Crier finds and trusts it. */
  readonly settings: Settings;
  readonly hangs: Set<string>;
  /** `host`: one of those it was started with, all of them the same server. */
  urlOf(path: string, host?: number): string;
  /** Resolves when so many events have arrived. Rejects past the deadline. */
  arrived(count: number, withinMs: number): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

/** `authorityFile`: where the certificate that Crier is to trust is written. `hosts`: its further host names. */
export async function startWebhookReceiver(authorityFile: string, hosts: number): Promise<WebhookReceiver> {
  const identity = createServerIdentity([NAME, `*.${NAME}`]);
  writeFileSync(authorityFile, identity.ca);
  const arrivals: WebhookArrival[] = [];
  const hangs = new Set<string>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer({ cert: identity.certificate, key: identity.key }, async (request, response) => {
    const [path, at] = [request.url ?? '', Date.now()];
    if (request.method !== 'POST') return void response.writeHead(204).end();
    const { id, createdAt } = JSON.parse(await text(request)) as { readonly id: string; readonly createdAt: string };
    arrivals.push({ path, eventId: id, at, afterMs: at - Date.parse(createdAt) });
    for (const each of waiting) if (arrivals.length >= each.count) each.resolve();
    if (!hangs.has(path)) response.writeHead(204).end();
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const names = [NAME, ...Array.from({ length: hosts }, (_, host) => nameOf(host))];
  return {
    arrivals,
    hangs,
    settings: {
      CRIER_EGRESS_OVERRIDES: names.map((name) => `${name}=127.0.0.1:${port}`).join(),
      NODE_EXTRA_CA_CERTS: authorityFile,
    },
    urlOf: (path, host) => `https://${nameOf(host)}${path}`,
    arrived: async (count, withinMs) => {
      if (arrivals.length >= count) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = setTimeout(
        () => reject(new Error(`${arrivals.length} of ${count} events arrived within ${withinMs} ms`)),
        withinMs,
      );
      waiting.push({ count, resolve });
      await promise.finally(() => clearTimeout(late));
    },
    clear: () => {
      arrivals.length = 0;
      waiting.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
