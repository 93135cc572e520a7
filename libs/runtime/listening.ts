import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reporter } from '#ports/reporter.ts';
import type { Service } from './service.ts';

export interface ListeningOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly scheme: 'http' | 'https';
  readonly reporter: Reporter;
}

/** A service that is a listener and nothing else. */
export interface ListeningService extends Service {
  /** Where it listens. Only once started. */
  address(): { readonly host: string; readonly port: number; readonly url: string };
}

/**
 * A server's way through the life of its service: new -> listening (`start`) -> draining (`drain`: no new connections,
 * each one's next answer is its last) -> stopped; `stop` leads there from anywhere and cuts what is open. What goes
 * wrong with the listener once it listens is reported as `<name>-listener`.
 */
export class Listening implements ListeningService {
  readonly name: string;
  readonly #server: Server;
  readonly #options: ListeningOptions;
  #mode: 'new' | 'listening' | 'draining' | 'stopped' = 'new';
  #trouble: string | null = null;
  #closed: Promise<void> | null = null;

  constructor(name: string, server: Server, options: ListeningOptions) {
    this.name = name;
    this.#server = server;
    this.#options = options;
  }

  /** Rejects with what `listen` says, such as EADDRINUSE. */
  async start(): Promise<void> {
    assert(this.#mode === 'new', `start while ${this.#mode}`);
    const { host, port, reporter } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#server.on('error', (error) => {
      this.#trouble = error.message;
      reporter.failure(`${this.name}-listener`, error);
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

  get isListening(): boolean {
    return this.#mode === 'listening';
  }

  address(): { readonly host: string; readonly port: number; readonly url: string } {
    const bound = this.#server.address() as AddressInfo | null;
    assert(bound !== null, 'not listening');
    const { host, scheme } = this.#options;
    return { host, port: bound.port, url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound.port}` };
  }

  /** Node closes idle connections with the listener; the others end with the answer they are waiting for. */
  #close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => this.#server.close(() => resolve()));
    return this.#closed;
  }
}
