import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from './service.ts';

export interface ListeningOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly scheme: 'http' | 'https';
  readonly reporter: Reporter;
  /** Called once, when no further connections are taken: ends answers that go on while their client listens. */
  readonly onDrain?: () => void;
}

/** A service that only listens. */
export interface ListeningService extends Service {
  /** Where it listens, or listened. Throws before it is started. */
  address(): { readonly host: string; readonly port: number; readonly url: string };
}

/**
 * The life of a server as a service. Modes: new -> listening (`start`, and after `leave` too, when the next answer on
 * each connection is its last) -> draining (`drain`: no new connections, and idle ones are closed) -> stopped. `stop`
 * leads there from every mode and cuts the open connections. An error of the listener after `start` is reported as
 * `<name>-listener`.
 */
export class Listening implements ListeningService {
  readonly name: string;
  readonly #server: Server;
  readonly #options: ListeningOptions;
  #mode: 'new' | 'listening' | 'draining' | 'stopped' = 'new';
  /** Kept after the server was closed: the last answers of a drain name the address, too. */
  #bound: AddressInfo | null = null;
  #trouble: string | null = null;
  #closed: Promise<void> | null = null;

  constructor(name: string, server: Server, options: ListeningOptions) {
    this.name = name;
    this.#server = server;
    this.#options = options;
  }

  /** Rejects with the error of `listen`, such as EADDRINUSE. */
  async start(): Promise<void> {
    assert(this.#mode === 'new', `start while ${this.#mode}`);
    const { host, port, reporter } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        this.#bound = this.#server.address() as AddressInfo;
        resolve();
      });
    });
    this.#server.on('error', (error) => {
      this.#trouble = error.message;
      reporter.failure('listener-failed', error, { listener: this.name });
    });
    this.#mode = 'listening';
  }

  /**
   * A client keeps a connection that idles, and its next request may be on the way when a drain closes that: such a
   * request is lost. The delay before the drain is the time in which connections end by an answer that says so.
   */
  leave(): void {
    this.#server.prependListener('request', (_request, response) => (response.shouldKeepAlive = false));
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
    const bound = this.#bound;
    assert(bound !== null, 'not listening');
    const { host, scheme } = this.#options;
    return { host, port: bound.port, url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound.port}` };
  }

  /** Node closes idle connections with the listener; the others end after the answer in progress. */
  #close(): Promise<void> {
    if (this.#closed === null) {
      this.#closed = new Promise((resolve) => this.#server.close(() => resolve()));
      this.#options.onDrain?.();
    }
    return this.#closed;
  }
}
