import type { ConsentChoice, HeadlessPerson } from './headless-person.ts';
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import {
  UnauthorizedError as FormerUnauthorizedError,
  auth as formerAuth,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The client library of today in either era of the protocol, and the line before it. */
export type ClientKind = 'of 2026-07-28' | 'of 2025-11-25' | 'of the former line';

export interface ToolAnswer {
  readonly isError?: boolean;
  // The type of a result is known only to the test that reads it.
  readonly structuredContent: any;
}

export interface AppOptions {
  readonly person: HeadlessPerson;
  readonly name: string;
  readonly redirectUri: string;
  /** The address of the document that describes it. Without: it registers itself. */
  readonly documentUrl?: string;
}

/** What one app keeps for one server, in the form in which both lines of the client library ask for it. */
export class AppCredentials implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientProvider['clientMetadata'];
  readonly clientMetadataUrl?: string;
  readonly redirectUrl: string;
  /** What its person chooses at the next consent. */
  choice: ConsentChoice = {};
  /** Every address to which a person was sent to approve it. */
  readonly authorizations: URL[] = [];
  #person: HeadlessPerson;
  #client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  #tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;
  #callback: URL | null = null;

  constructor({ person, name, redirectUri, documentUrl }: AppOptions) {
    this.#person = person;
    this.redirectUrl = redirectUri;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl;
  }

  state = (): string => 'a state';
  clientInformation: OAuthClientProvider['clientInformation'] = () => this.#client;
  tokens: OAuthClientProvider['tokens'] = () => this.#tokens;
  codeVerifier = (): string => this.#verifier;

  saveClientInformation: NonNullable<OAuthClientProvider['saveClientInformation']> = (client) => {
    this.#client = client;
  };

  saveTokens: OAuthClientProvider['saveTokens'] = (tokens) => {
    this.#tokens = tokens;
  };

  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovered;

  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.authorizations.push(url);
    this.#callback = await this.#person.follow(url, this.choice);
  }

  /** The tokens in use. */
  get held(): {
    readonly access_token: string;
    readonly refresh_token?: string | undefined;
    readonly scope?: string | undefined;
  } {
    return this.#tokens as never;
  }

  get clientId(): string {
    return (this.#client as { readonly client_id: string }).client_id;
  }

  /** The app connects anew: what it was given is left behind. */
  forgetTokens(): void {
    this.#tokens = undefined;
  }

  /** Where the person was sent back to, once. */
  takeCallback(): URL {
    const callback = this.#callback;
    if (callback === null) throw new Error('nobody was sent back to the app');
    this.#callback = null;
    return callback;
  }
}

/** An assistant with a client library's own way through OAuth. */
export class Assistant {
  readonly app: AppCredentials;
  readonly #kind: ClientKind;
  readonly #url: URL;
  #open: OpenClient | null = null;

  constructor(kind: ClientKind, app: AppCredentials, url: string) {
    this.#kind = kind;
    this.app = app;
    this.#url = new URL(url);
  }

  /** Connects; on the way its person approves the app, where the server asks for that. */
  async connect(): Promise<void> {
    const attempt = this.#make();
    try {
      await attempt.connect();
      this.#open = attempt;
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      await attempt.finishAuth(this.app.takeCallback());
      await attempt.close();
      this.#open = this.#make();
      await this.#open.connect();
    }
  }

  async tools(): Promise<readonly string[]> {
    const { tools } = await this.#open!.listTools();
    return tools.map(({ name }) => name);
  }

  /** Calls a tool. Where its person has to approve more for that, the call is made again afterwards. */
  async call(name: string, sent: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const open = this.#open!;
    try {
      return await open.callTool({ name, arguments: sent });
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      await open.finishAuth(this.app.takeCallback());
      return open.callTool({ name, arguments: sent });
    }
  }

  /** A person makes the app ask for more, which the former line does not by itself once it has a refresh token. */
  async askFor(scope: string): Promise<void> {
    this.app.forgetTokens();
    await formerAuth(this.app as never, { serverUrl: this.#url, scope });
    const authorizationCode = this.app.takeCallback().searchParams.get('code')!;
    await formerAuth(this.app as never, { serverUrl: this.#url, scope, authorizationCode });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open?.close();
  }

  #make(): OpenClient {
    const info = { name: this.app.clientMetadata.client_name ?? '', version: '1.0.0' };
    return this.#kind === 'of the former line'
      ? formerClient(info, this.#url, this.app)
      : client(info, this.#url, this);
  }

  get versionNegotiation(): { readonly mode: 'legacy' | { readonly pin: '2026-07-28' } } {
    return { mode: this.#kind === 'of 2025-11-25' ? 'legacy' : { pin: '2026-07-28' } };
  }
}

interface OpenClient {
  connect(): Promise<void>;
  finishAuth(callback: URL): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(request: { readonly name: string; readonly arguments: Record<string, unknown> }): Promise<ToolAnswer>;
  close(): Promise<void>;
}

interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

function client(info: ClientInfo, url: URL, { app, versionNegotiation }: Assistant): OpenClient {
  const made = new Client(info, { versionNegotiation });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: app });
  return {
    connect: () => made.connect(transport),
    finishAuth: ({ searchParams }) => transport.finishAuth(searchParams),
    listTools: () => made.listTools(),
    callTool: (request) => made.callTool(request) as Promise<ToolAnswer>,
    close: () => made.close(),
  };
}

function formerClient(info: ClientInfo, url: URL, app: AppCredentials): OpenClient {
  const made = new FormerClient(info);
  const transport = new FormerTransport(url, { authProvider: app as never });
  return {
    connect: () => made.connect(transport as never),
    finishAuth: ({ searchParams }) => transport.finishAuth(searchParams.get('code')!),
    listTools: () => made.listTools(),
    callTool: (request) => made.callTool(request) as Promise<ToolAnswer>,
    close: () => made.close(),
  };
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || error instanceof FormerUnauthorizedError;
}
