import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { Service } from '#runtime/service.ts';
import { CredentialCache } from '#tables/credential-cache.ts';
import { createCursors } from './cursors.ts';
import type { Ask, AttemptReader, FindCredential, PostReader, WorkspaceReader } from './needs.ts';
import { RateLimiter, type RequestRows } from './rate-limit/rate-limiter.ts';
import { createApp } from './rest/app.ts';
import type { ConnectPagesOptions } from './rest/connect-pages.ts';
import { createListener, type TlsFiles } from './rest/listener.ts';
import { createRoutes } from './rest/routes.ts';

export interface IngressOptions {
  readonly ask: Ask;
  readonly posts: PostReader;
  readonly workspaces: WorkspaceReader;
  readonly ledger: AttemptReader;
  /** Not cached: the service does that. */
  readonly findCredential: FindCredential;
  readonly requests: RequestRows;
  readonly signIns: ConnectPagesOptions['signIns'];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  /** The installation's master secret: cursors are signed under a key derived from it. */
  readonly secret: string;
  /** This process's internal address: where answers are hinted to. */
  readonly replyTo: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Null: where the service listens. */
  readonly publicUrl: string | null;
  /** PEM; null: plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly trustedProxies: readonly string[];
  /** 0: no limit. */
  readonly requestsPerMinute: number;
}

export interface IngressService extends Service {
  /** Where it listens. Only once started. */
  address(): { readonly host: string; readonly port: number; readonly url: string };
}

export function createIngressService(options: IngressOptions): IngressService {
  return new Ingress(options);
}

/**
 * The front door. new -> listening (`start`) -> draining (`drain`: no new connections, each one's next answer is its
 * last) -> stopped; `stop` leads there from anywhere and cuts what is open.
 */
class Ingress implements IngressService {
  readonly name = 'ingress';
  readonly #options: IngressOptions;
  readonly #server: Server;
  #mode: 'new' | 'listening' | 'draining' | 'stopped' = 'new';
  #trouble: string | null = null;
  #closed: Promise<void> | null = null;

  constructor(options: IngressOptions) {
    this.#options = options;
    const { clock, ids, findCredential, requestsPerMinute: limit, requests: rows, secret, tls } = options;
    const cache = new CredentialCache({ clock, find: findCredential });
    const app = createApp({
      ...options,
      routes: createRoutes({ ...options, cursors: createCursors(secret) }),
      findCredential: (tokenHash) => cache.find(tokenHash),
      limiter: limit === 0 ? null : new RateLimiter({ rows, clock, ids, limit }),
      publicUrl: () => options.publicUrl ?? this.address().url,
      draining: () => this.#mode !== 'listening',
    });
    this.#server = createListener(app, tls);
  }

  async start(): Promise<void> {
    assert(this.#mode === 'new', `start while ${this.#mode}`);
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#server.on('error', (error) => {
      this.#trouble = error.message;
      this.#options.reporter.failure('ingress-listener', error);
    });
    this.#mode = 'listening';
  }

  drain(): Promise<void> {
    if (this.#mode === 'listening') this.#mode = 'draining';
    return this.#close();
  }

  async stop(): Promise<void> {
    this.#mode = 'stopped';
    const closed = this.#close();
    this.#server.closeAllConnections();
    await closed;
  }

  trouble(): string | null {
    return this.#trouble;
  }

  address(): { readonly host: string; readonly port: number; readonly url: string } {
    const bound = this.#server.address() as AddressInfo | null;
    assert(bound !== null, 'not listening');
    const { host, tls } = this.#options;
    const shown = host.includes(':') ? `[${host}]` : host;
    return { host, port: bound.port, url: `${tls === null ? 'http' : 'https'}://${shown}:${bound.port}` };
  }

  /** Node closes idle connections with the listener; the others end with the answer they are waiting for. */
  #close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => this.#server.close(() => resolve()));
    return this.#closed;
  }
}
