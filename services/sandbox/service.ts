import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Network } from '#domain/network.ts';
import type { Clock } from '#ports/clock.ts';
import type { Download } from '#ports/download.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Listening } from '#runtime/listening.ts';
import type { Service } from '#runtime/service.ts';
import { createFolderBytes } from './files/file-bytes.ts';
import { createInboxServer, type InboxIdentity } from './inbox/inbox-server.ts';
import { createSandbox } from './sandbox.ts';
import { createSandboxServer } from './server.ts';
import type { SandboxApp } from './simulator.ts';
import { createSqliteStore } from './store/sqlite-store.ts';
import type { SandboxStore } from './store/store.ts';

export interface SandboxServiceOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * The SQLite file; its folder is created when it is missing, with one for uploads beside the file. One process at a
   * time.
   */
  readonly file: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  /** The beginning of addresses in answers. Default: where it listens. */
  readonly publicUrl?: string;
  /** A further address at which processes of the installation ask it. Default: none. */
  readonly internalUrl?: string;
  /** How Networks fetch files by address. */
  readonly download: Download;
  /** The origin of those files: the sandbox fetches from nowhere else. */
  readonly mediaUrl: () => string;
  /** The redirect addresses of the installation's sign-ins: the sandbox redirects nowhere else. */
  readonly redirectUris: (network: Network) => readonly string[];
  readonly app?: SandboxApp;
  readonly reuseEndsGrant?: boolean;
  /** Whether Networks refuse requests without a User-Agent. Default: no. */
  readonly requiresUserAgent?: boolean;
  /** Default: no inboxes. They are served on this machine alone, on a port of their own. */
  readonly inbox?: InboxIdentity;
}

export interface SandboxService extends Service {
  /** Where it listens, e.g. `http://127.0.0.1:8090`. Available once started. */
  address(): string;
  /** Where `https://inbox.sandbox` is, while it is served. */
  inboxAddress(): { readonly host: string; readonly port: number } | null;
}

/**
 * Modes: made -> started -> draining -> stopped. `start` opens the store, which is closed once no request can reach it:
 * after a drain, or by `stop`.
 */
class RunningSandbox implements SandboxService {
  readonly name = 'sandbox';
  readonly #options: SandboxServiceOptions;
  readonly #ending = new AbortController();
  #mode: 'made' | 'started' | 'draining' | 'stopped' = 'made';
  #store: SandboxStore | null = null;
  #server: Listening | null = null;
  #inboxServer: Listening | null = null;
  #address = '';

  constructor(options: SandboxServiceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#mode !== 'made') throw new Error(`The sandbox can't start: it is ${this.#mode}.`);
    this.#mode = 'started';
    const {
      host,
      port,
      file,
      clock,
      ids,
      reporter,
      publicUrl,
      internalUrl,
      download,
      mediaUrl,
      redirectUris,
      app,
      reuseEndsGrant,
      requiresUserAgent,
      inbox,
    } = this.#options;
    mkdirSync(dirname(file), { recursive: true });
    this.#store = createSqliteStore(file, clock);
    const sandbox = createSandbox({
      clock,
      ids,
      store: this.#store,
      bytes: createFolderBytes(join(dirname(file), 'sandbox-files')),
      download,
      mediaUrl,
      redirectUris,
      baseUrl: () => publicUrl ?? this.#address,
      signal: this.#ending.signal,
      servesInboxes: inbox !== undefined,
      ...(app === undefined ? {} : { app }),
      ...(reuseEndsGrant === undefined ? {} : { reuseEndsGrant }),
      ...(requiresUserAgent === undefined ? {} : { requiresUserAgent }),
    });
    this.#server = createSandboxServer(sandbox, {
      host,
      port,
      reporter,
      urls: [publicUrl, internalUrl].filter((url) => url !== undefined),
    });
    await this.#server.start();
    this.#address = this.#server.address().url;
    if (inbox !== undefined) {
      this.#inboxServer = createInboxServer(sandbox, {
        identity: inbox,
        clock,
        ending: this.#ending.signal,
        host: '127.0.0.1',
        port: 0,
        reporter,
      });
      await this.#inboxServer.start();
    }
    reporter.report('sandbox-started', { address: this.#address });
  }

  address(): string {
    if (this.#address === '') throw new Error('The sandbox listens nowhere yet.');
    return this.#address;
  }

  inboxAddress(): { readonly host: string; readonly port: number } | null {
    return this.#inboxServer?.isListening === true ? this.#inboxServer.address() : null;
  }

  async drain(): Promise<void> {
    if (this.#mode !== 'started') return;
    this.#mode = 'draining';
    this.#ending.abort();
    await Promise.all([this.#server?.drain(), this.#inboxServer?.drain()]);
    await this.#store?.close();
  }

  async stop(): Promise<void> {
    if (this.#mode === 'stopped') return;
    this.#mode = 'stopped';
    this.#ending.abort();
    await Promise.all([this.#server?.stop(), this.#inboxServer?.stop()]);
    await this.#store?.close();
  }

  trouble(): string | null {
    return this.#mode === 'made'
      ? 'not started'
      : (this.#server?.trouble() ?? this.#inboxServer?.trouble() ?? this.#store?.trouble() ?? null);
  }
}

export function createSandboxService(options: SandboxServiceOptions): SandboxService {
  return new RunningSandbox(options);
}
