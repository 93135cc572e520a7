import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { TableHooks } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { makeSigningKey } from '#adapters/node-crypto/signing-key.ts';
import type { OperatorCommand } from '#commands/operator-command.ts';
import type { Result } from '#domain/workspace/results.ts';
import { createFrontApp } from '#http-server/front-door.ts';
import type { PublicAnswer, PublicRequest } from '#ports/public-http.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { StoredApproval } from '#tables/repositories/approvals.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import { OAuthKeys } from '#tables/repositories/oauth-keys.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { createAuthorizationServer } from './authorization-server.ts';
import { Browser, fieldsOf } from './browser.fixture.ts';

export const BASE = 'https://crier.test';
export const MCP = `${BASE}/mcp`;
export const API = `${BASE}/api`;
export const REDIRECT = 'https://claude.ai/api/mcp/auth_callback';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 1_440 * MINUTE;
const SIGNING_KEY = makeSigningKey();

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string | undefined;
}

export interface Asking {
  readonly scope?: string;
  readonly resources?: readonly string[];
  readonly redirectUri?: string;
  readonly workspaceId?: string;
  readonly permissions?: readonly string[];
  readonly prompt?: string;
}

/**
 * An authorization server on the memory store, served over HTTP to clients that know it as https://crier.test. A second
 * harness over the same `shared` is another replica.
 */
export class OAuthHarness {
  readonly clock: MemoryClock;
  readonly tables: MemoryTables;
  readonly reporter: MemoryReporter = createMemoryReporter();
  readonly approvals: Map<string, StoredApproval>;
  readonly commands: (OperatorCommand & { readonly workspaceId: string })[] = [];
  /** Of whoever ordered each command. */
  readonly addresses: (string | null)[] = [];
  readonly uses: string[] = [];
  /** Every row that was ever written by compare-and-set: its key and its body. */
  readonly written: string[] = [];
  /** Of accounts by name; `ada` owns one Workspace. */
  memberships: Record<string, readonly Membership[]> = { ada: [membership('w-1', 'Ada’s shop')] };
  /** What the next command comes to instead of being carried out. */
  refusal: Result | null = null;
  ended: readonly string[] = [];
  documents: (request: PublicRequest) => Promise<PublicAnswer> = () => Promise.reject(new Error('no document'));
  readonly #server: Server;

  static async start(shared: { tables?: MemoryTables; hooks?: TableHooks; of?: OAuthHarness; seed?: number } = {}) {
    const harness = new OAuthHarness(shared);
    harness.#server.listen(0, '127.0.0.1');
    await once(harness.#server, 'listening');
    return harness;
  }

  private constructor({ hooks, of, seed = 1 }: { hooks?: TableHooks; of?: OAuthHarness; seed?: number }) {
    this.clock = of?.clock ?? createMemoryClock();
    this.tables = of?.tables ?? new MemoryTables();
    this.approvals = of?.approvals ?? new Map();
    const store = this.#recorded(
      createMemoryTableStore({ tables: this.tables, clock: this.clock, ...(hooks && { hooks }) }),
    );
    const secretBox = createSecretBox({ secret: 'a secret of more than thirty-two characters' });
    const common = { store, secretBox, clock: this.clock, ids: createSeededIds(seed) };
    const app = createFrontApp({ trustedProxies: ['127.0.0.1'] });
    createAuthorizationServer({
      ...common,
      reporter: this.reporter,
      publicHttp: { send: (request) => this.documents(request) },
      publicUrl: BASE,
      keys: new OAuthKeys({ ...common, makeSigningKey: () => SIGNING_KEY }),
      requests: createRequestRows(store),
      sessions: {
        current: async ({ headers }) => {
          const name = /(?:^|; )who=(\w+)/.exec(headers.cookie ?? '')?.[1];
          if (name === undefined) return null;
          return { accountId: `account of ${name}`, email: `${name}@crier.test`, sessionHash: `session of ${name}` };
        },
      },
      notYouForm: ({ returnPath }) => `<form><button value="${returnPath}">Not you?</button></form>`,
      memberships: async (accountId) => this.memberships[accountId.slice('account of '.length)] ?? [],
      findApproval: async (approvalId) => this.approvals.get(approvalId) ?? null,
      endedApprovals: async () => this.ended,
      sendCommand: (workspaceId, command, { address = null } = {}) => {
        this.addresses.push(address);
        return this.#carryOut(workspaceId, command);
      },
      noteUse: (approvalId) => void this.uses.push(approvalId),
    }).addTo(app);
    app.use((_request, response) => void response.status(404).end());
    this.#server = createServer(app);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Of clients and browsers: what they send to https://crier.test arrives here. */
  readonly fetch: typeof fetch = (input, options) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    assert.equal(url.origin, BASE, 'the world of these tests is one host');
    return fetch(`http://127.0.0.1:${this.port}${url.pathname}${url.search}`, { ...options, redirect: 'manual' });
  };

  readonly options = {
    [oauth.customFetch]: (url: string, options: object): Promise<Response> => this.fetch(url, options),
  };

  /** Somebody's browser; `ada` is signed in. */
  browser(name: string | null = 'ada'): Browser {
    const browser = new Browser(this.fetch);
    if (name !== null) browser.setCookie('who', name);
    return browser;
  }

  async discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(BASE);
    const options = { algorithm: 'oauth2' as const, ...this.options };
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  }

  async register(metadata: Readonly<Record<string, unknown>> = {}): Promise<oauth.Client> {
    const sent = {
      client_name: 'Claude',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    };
    const response = await oauth.dynamicClientRegistrationRequest(
      await this.discover(),
      sent as Partial<oauth.Client>,
      this.options,
    );
    return oauth.processDynamicClientRegistrationResponse(response);
  }

  authorizeUrl(client: oauth.Client, challenge: string, asking: Asking = {}): string {
    const { scope, resources = [MCP], redirectUri = REDIRECT, prompt } = asking;
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      state: 'a state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(scope !== undefined && { scope }),
      ...(prompt !== undefined && { prompt }),
    });
    for (const resource of resources) query.append('resource', resource);
    return `${BASE}/oauth/authorize?${query.toString()}`;
  }

  /** Sends the browser to the consent page, and answers with the page's address. */
  async reachConsent(browser: Browser, url: string): Promise<string> {
    const response = await browser.get(url);
    const location = response.headers.get('location') ?? '';
    assert.match(location, /\/oauth\/consent\//, `${response.status} ${location} ${await response.text()}`);
    return location;
  }

  /** Presses a button of the consent page, and answers with where the browser is sent in the end. */
  async decide(
    browser: Browser,
    page: string,
    { workspaceId, permissions, decision = 'approve' }: Asking & { readonly decision?: string } = {},
  ): Promise<URL> {
    const form = fieldsOf(await (await browser.get(page)).text());
    form.set('decision', decision);
    if (workspaceId !== undefined) form.set('workspaceId', workspaceId);
    if (permissions !== undefined) {
      form.delete('permissions');
      for (const permission of permissions) form.append('permissions', permission);
    }
    const decided = await browser.post(page, form);
    const resume = decided.headers.get('location');
    assert(resume, `${decided.status} ${await decided.text()}`);
    const answered = await browser.get(resume);
    const location = answered.headers.get('location');
    assert(location, `${answered.status} ${await answered.text()}`);
    return new URL(location);
  }

  /** From registration to the callback's address. */
  async approve(client: oauth.Client, asking: Asking = {}): Promise<{ callback: URL; verifier: string }> {
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const browser = this.browser();
    const page = await this.reachConsent(browser, this.authorizeUrl(client, challenge, asking));
    return { callback: await this.decide(browser, page, asking), verifier };
  }

  async redeem(
    client: oauth.Client,
    { callback, verifier }: { readonly callback: URL; readonly verifier: string },
    asking: Asking & { readonly resource?: string } = {},
  ): Promise<Tokens> {
    const as = await this.discover();
    const parameters = oauth.validateAuthResponse(as, client, callback, 'a state');
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      this.#authOf(client),
      parameters,
      asking.redirectUri ?? REDIRECT,
      verifier,
      {
        ...this.options,
        ...(asking.resource !== undefined && { additionalParameters: { resource: asking.resource } }),
      },
    );
    return tokensOf(await oauth.processAuthorizationCodeResponse(as, client, response));
  }

  async refresh(client: oauth.Client, token: string, more: Readonly<Record<string, string>> = {}): Promise<Tokens> {
    const as = await this.discover();
    const options = { ...this.options, additionalParameters: more };
    const response = await oauth.refreshTokenGrantRequest(as, client, this.#authOf(client), token, options);
    return tokensOf(await oauth.processRefreshTokenResponse(as, client, response));
  }

  /** All at once: a client that registered itself, and its tokens. */
  async connected(asking: Asking = {}): Promise<{ client: oauth.Client; tokens: Tokens }> {
    const client = await this.register();
    return { client, tokens: await this.redeem(client, await this.approve(client, asking), asking) };
  }

  #authOf(client: oauth.Client): oauth.ClientAuth {
    if (client.client_secret === undefined) return oauth.None();
    return oauth.ClientSecretPost(client.client_secret as string);
  }

  #recorded(store: TableStore): TableStore {
    return {
      atom: store.atom,
      read: (...read) => store.read(...read),
      slice: (...slice) => store.slice(...slice),
      upsert: (...upsert) => store.upsert(...upsert),
      insert: (...insert) => store.insert(...insert),
      dropPartition: (...drop) => store.dropPartition(...drop),
      partitions: (...page) => store.partitions(...page),
      check: () => store.check(),
      close: () => store.close(),
      compareAndSet: (table, write) => {
        this.written.push([...write.partition, Buffer.from(write.next.body).toString('utf8')].join(' '));
        return store.compareAndSet(table, write);
      },
    };
  }

  async #carryOut(workspaceId: string, command: OperatorCommand): Promise<Result> {
    this.commands.push({ ...command, workspaceId });
    if (this.refusal !== null) return this.refusal;
    if (command.type === 'ApproveApp' && !this.approvals.has(command.approvalId)) {
      const { approvalId, clientId, name, memberId, permissions } = command;
      const accountId = `account of ${memberId.slice(2)}`;
      const approval = { approvalId, clientId, name, memberId, permissions, accountId };
      this.approvals.set(approvalId, { ...approval, workspaceId, memberName: 'Ada', revoked: false });
    }
    if (command.type === 'RevokeApproval') this.endApproval(command.approvalId);
    return { ok: true, kind: 'done' };
  }

  endApproval(approvalId: string): void {
    this.approvals.set(approvalId, { ...this.approvals.get(approvalId)!, revoked: true });
  }
}

export function membership(workspaceId: string, workspaceName: string, about: Partial<Membership> = {}): Membership {
  return {
    workspaceId,
    workspaceName,
    workspaceZone: null,
    memberId: 'm-ada',
    email: 'ada@crier.test',
    name: 'Ada',
    role: 'owner',
    emailVerified: true,
    removed: false,
    ...about,
  };
}

function tokensOf({ access_token, refresh_token, scope }: oauth.TokenEndpointResponse): Tokens {
  return { access: access_token, refresh: refresh_token ?? '', scope };
}
