import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { OperatorCommand } from '#commands/operator-command.ts';
import { accountIdOf } from '#domain/account.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import { NETWORKS } from '#domain/network.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { MemberRole } from '#domain/workspace/state.ts';
import { createFrontApp } from '#http-server/front-door.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { IngressWorld, START } from '#services/ingress/ingress-harness.fixture.ts';
import { AUDIT } from '#tables/declarations/tables.ts';
import { auditRow, listAudit, type AuditListFilter, type AuditPage } from '#tables/repositories/audit.ts';
import { createSessionRows } from '#tables/repositories/sessions.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import type { Scenario } from '#testing/scenario.ts';
import { createAuditCursors } from '#use-cases/list-audit.ts';
import { createDoorParts } from '#use-cases/door-parts.ts';
import { BrowserSessions } from '../people/sessions.ts';
import { addTrpcEndpoint, type TrpcEndpointOptions } from './endpoint.ts';
import { AccessWatch } from '../live/access-watch.ts';
import type { ChangeListener, ChangeSignal } from '../live/signal-queue.ts';
import { createAppRouter } from './router.ts';
import { createPublishingHolds } from '#use-cases/publishing-holds.ts';
import { PublishingBrake } from '#tables/repositories/publishing-brake.ts';

/** What a call was answered, by HTTP and by the procedure. */
export interface ProcedureAnswer {
  readonly status: number;
  // Tests look into answers of many shapes.
  readonly data: any;
  readonly problem: { readonly code: string; readonly message: string } | null;
}

export interface SentCall {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the input, as it is. */
  readonly body?: string;
}

/** A browser that is signed in, or null for one that is not. */
export type Browser = { readonly cookie: string } | null;

const OWN_PAGE = { 'x-crier-app': '1', 'sec-fetch-site': 'same-origin' };

export interface TrpcHarnessOptions {
  /** 0: not limited. */
  readonly callsPerMinute?: number;
  /** Time can not be moved. */
  readonly isLive?: boolean;
  /** Left out: those of a clock that stands still, so that no work gives way. */
  readonly slices?: TimeSlices;
}

/** Two Workspaces behind the procedures of the app, served on a free port: each call is a real request. */
export class TrpcHarness implements AsyncDisposable {
  readonly clock = createMemoryClock(START);
  readonly world = new IngressWorld(this.clock);
  readonly reporter: MemoryReporter = createMemoryReporter();
  /** Workspaces that were asked for. */
  readonly created: string[] = [];
  /** The commands that did. */
  readonly makings: OperatorCommand[] = [];
  readonly invitations: string[] = [];
  /** How far Members moved the clock, each time. */
  readonly advances: number[] = [];
  /** Uploads whose files were taken for complete. */
  readonly sealed: string[] = [];
  /** Addresses of files that were asked. */
  readonly inspected: string[] = [];
  /** Aborted when the process takes no more requests. */
  readonly ending = new AbortController();
  /** What every page missed before it subscribed. */
  missed: ChangeSignal | null = null;
  /** How a Workspace answers that an address is to be verified. */
  verifying = async (workspaceId: string, memberId: string): Promise<Result> =>
    [...this.#scenarios].find(({ id }) => id === workspaceId)!.must({ type: 'VerifyEmail', memberId });
  /** When keys and approvals were last used, by id. */
  readonly lastUses = new Map<string, number>();
  readonly #listeners = new Map<ChangeListener, string>();
  readonly #scenarios = new Set<Scenario>();
  /** Of every procedure that the router has: whether it reads or changes. */
  readonly procedures: Readonly<Record<string, 'query' | 'mutation' | 'subscription'>>;
  readonly #server;
  readonly #options: TrpcEndpointOptions;
  readonly #isLive: boolean;
  #url = '';

  private constructor(more: TrpcHarnessOptions) {
    this.#isLive = more.isLive ?? false;
    this.#options = {
      ...this.#optionsOf(more.callsPerMinute ?? 0),
      ...(more.slices && { slices: more.slices }),
    };
    const procedures: object = createAppRouter(this.#options)._def.procedures;
    this.procedures = Object.fromEntries(Object.entries(procedures).map(([path, made]) => [path, made._def.type]));
    const app = createFrontApp({ trustedProxies: [] });
    addTrpcEndpoint(app, this.#options);
    this.#server = createServer(app);
  }

  static async open(more: TrpcHarnessOptions = {}): Promise<TrpcHarness> {
    const harness = new TrpcHarness(more);
    await new Promise<void>((resolve) => harness.#server.listen(0, '127.0.0.1', resolve));
    harness.#url = `http://127.0.0.1:${(harness.#server.address() as AddressInfo).port}`;
    return harness;
  }

  /** A Workspace of the Pro Plan; `idsFrom` keeps the ids of what is in it apart from those of others. */
  workspace(idsFrom: number): Scenario {
    const scenario = this.world.workspace({ idsFrom });
    this.#scenarios.add(scenario);
    return scenario;
  }

  /** A browser in which a new Member with this role is signed in. */
  async browser(scenario: Scenario, role: MemberRole): Promise<NonNullable<Browser>> {
    const memberId = scenario.member(role, `A ${role}`);
    return this.signIn(scenario.workspace.members[memberId]!.email);
  }

  async signIn(email: string): Promise<NonNullable<Browser>> {
    const sessions = this.#sessions;
    const secret = sessions.newSecret();
    assert(await sessions.begin(secret, email, 'a browser'));
    return { cookie: `crier_session=${accountIdOf(email)}.${secret.value}` };
  }

  async call(browser: Browser, path: string, input: unknown, sent: SentCall = {}): Promise<ProcedureAnswer> {
    const method = sent.method ?? (this.procedures[path] === 'mutation' ? 'POST' : 'GET');
    const json = JSON.stringify(input) ?? '';
    const query = method === 'GET' && json !== '' ? `?input=${encodeURIComponent(json)}` : '';
    const body = sent.body ?? json;
    const response = await fetch(`${this.#url}/app/trpc/${path}${query}`, {
      method,
      headers: {
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...(browser !== null && { cookie: browser.cookie }),
        ...OWN_PAGE,
        ...sent.headers,
      },
      ...(method === 'POST' && body !== '' && { body }),
    });
    return answerOf(response.status, await response.json());
  }

  /** Several calls of one kind in one request, as pages send them. */
  async batch(
    browser: Browser,
    calls: readonly { readonly path: string; readonly input: unknown }[],
  ): Promise<readonly ProcedureAnswer[]> {
    const body = JSON.stringify(Object.fromEntries(calls.map((call, i) => [i, call.input])));
    const paths = calls.map(({ path }) => path).join(',');
    const headers = { ...OWN_PAGE, ...(browser !== null && { cookie: browser.cookie }) };
    const address = `${this.#url}/app/trpc/${paths}?batch=1`;
    const json = { ...headers, 'content-type': 'application/json' };
    const response = await (this.procedures[calls[0]!.path] === 'mutation'
      ? fetch(address, { method: 'POST', headers: json, body })
      : fetch(`${address}&input=${encodeURIComponent(body)}`, { headers }));
    const answers = (await response.json()) as readonly any[];
    return answers.map((each) => answerOf(each.error?.data?.httpStatus ?? 200, each));
  }

  /** Everything that a call could change in the Workspace, to compare. */
  stateOf(scenario: Scenario): string {
    const { state, posts, assets } = scenario;
    return JSON.stringify([state, [...posts], [...assets], this.created, this.invitations, this.sealed, this.advances]);
  }

  /** How many pages are open. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** A page that is open, with what it hears. Ends by itself when the server ends it. */
  async page(browser: Browser, workspaceId: string): Promise<OpenPage> {
    const closed = new AbortController();
    const input = encodeURIComponent(JSON.stringify({ workspaceId }));
    const response = await fetch(`${this.#url}/app/trpc/events?input=${input}`, {
      headers: { ...(browser !== null && { cookie: browser.cookie }), accept: 'text/event-stream' },
      signal: closed.signal,
    });
    const heard: unknown[] = [];
    const ended = readEvents(response, heard).catch(() => {});
    return { status: response.status, heard, ended, close: () => closed.abort() };
  }

  /** Tells open pages of the Workspace. */
  tell(workspaceId: string, signal: ChangeSignal): void {
    for (const [listener, of] of this.#listeners) if (of === workspaceId) void listener(signal);
  }

  #watch(workspaceId: string, listener: ChangeListener): () => void {
    this.#listeners.set(listener, workspaceId);
    return () => this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #sessions(): BrowserSessions {
    return this.#options.sessions as BrowserSessions;
  }

  #optionsOf(callsPerMinute: number): TrpcEndpointOptions {
    const { world, clock, reporter } = this;
    const { ids, store } = world;
    const readers = world.readers();
    const publicUrl = 'http://crier.test';
    const rows = createSessionRows(store, () => ids.token());
    const secret = 'a secret of the installation';
    const sessions = new BrowserSessions({ rows, clock, ids, reporter, publicUrl });
    const memberships = async (accountId: string) => this.#memberships(accountId);
    return {
      ...readers,
      ...createDoorParts({
        ...{ clock, ids, requests: readers.requests, secret, addressesPerMinute: 0 },
        strangersPerMinute: 20,
      }),
      ...{ clock, ids, reporter },
      uploads: {
        ...readers.uploads,
        seal: (assetId) => {
          this.sealed.push(assetId);
          return readers.uploads.seal(assetId);
        },
      },
      inspectAddress: (url, signal) => {
        this.inspected.push(url);
        return readers.inspectAddress(url, signal);
      },
      sessions,
      access: new AccessWatch({ memberships, sessions, clock, reporter }),
      publicUrl: () => publicUrl,
      replyTo: publicUrl,
      memberships,
      memberLimiter: callsPerMinute === 0 ? null : limiterOf(readers.requests, { clock, ids, limit: callsPerMinute }),
      installation: {
        ...{ version: '1', sandbox: true, sandboxUrl: 'http://sandbox.test', billing: 'self-service' },
        ...{ advancesTime: !this.#isLive, signUpOpen: true, publicUrl },
      },
      advanceClock: this.#isLive ? null : (milliseconds) => this.#advance(milliseconds),
      billing: null,
      sendCommand: async (workspaceId, command) => {
        if (command.type === 'VerifyEmail') return this.verifying(workspaceId, command.memberId);
        this.created.push(workspaceId);
        this.makings.push(command);
        return { ok: true, kind: 'done' };
      },
      mailInvitation: async ({ email }) => void this.invitations.push(email),
      lastUses: async () => this.lastUses,
      feed: {
        subscribe: (workspaceId, listener) => this.#watch(workspaceId, listener),
        missed: async () => this.missed,
      },
      ending: this.ending.signal,
      audit: (workspaceId, filter) => this.#audit(workspaceId, filter),
      publishingHolds: createPublishingHolds({
        ...{ store, ids, clock, reporter },
        brake: new PublishingBrake({ store, clock }),
      }),
      auditCursors: createAuditCursors(secret),
      networks: NETWORKS,
      signIns: { begin: async () => ({ ticket: 'a-ticket', expiresAt: clock.now() + 900_000 }) },
      judge: async (_, { blob, bytes, sha256 }) => ({
        blob,
        kind: 'facts',
        facts: { kind: 'image', contentType: 'image/png', bytes, sha256, width: 4, height: 3, durationMs: null },
      }),
      videosOff: async () => null,
      publicHttp: { send: async () => ({ status: 204, headers: {}, body: (async function* () {})() }) },
      secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    };
  }

  /** From the table, with every entry that the Workspace's turns have made by now. */
  async #audit(workspaceId: string, filter: AuditListFilter): Promise<AuditPage> {
    const { store } = this.world;
    const scenario = [...this.#scenarios].find(({ id }) => id === workspaceId);
    const rows = (scenario?.audit ?? []).map((entry) => {
      const { partition, clustering, value } = auditRow(workspaceId, entry);
      return { partition, clustering, body: encodeBody(value), format: BODY_FORMAT, timestamp: 1 };
    });
    if (rows.length > 0) await store.upsert(AUDIT, rows);
    return listAudit(store, workspaceId, filter);
  }

  async #advance(milliseconds: number): Promise<number> {
    this.advances.push(milliseconds);
    this.clock.moveWall(milliseconds);
    return this.clock.now();
  }

  #memberships(accountId: string): readonly Membership[] {
    return [...this.#scenarios].flatMap(({ workspace }) => {
      const { id: workspaceId, name: workspaceName, members, timeZone: workspaceZone = null } = workspace;
      return Object.values(members)
        .filter(({ email }) => accountIdOf(email) === accountId)
        .map(({ id: memberId, ...member }) => ({ workspaceId, workspaceName, workspaceZone, memberId, ...member }));
    });
  }
}

export interface OpenPage {
  readonly status: number;
  /** What the server said, without what keeps the connection open. */
  readonly heard: readonly unknown[];
  readonly ended: Promise<void>;
  readonly close: () => void;
}

async function readEvents({ body }: Response, heard: unknown[]): Promise<void> {
  let text = '';
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop()!;
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (!/^event: /m.test(event) && data !== undefined && data !== '') heard.push(JSON.parse(data));
    }
  }
}

function limiterOf(
  rows: ConstructorParameters<typeof RateLimiter>[0]['rows'],
  about: Omit<ConstructorParameters<typeof RateLimiter>[0], 'rows'>,
): RateLimiter {
  return new RateLimiter({ rows, ...about });
}

function answerOf(status: number, body: any): ProcedureAnswer {
  const problem = body.error?.data?.problem ?? body.error ?? null;
  return { status, data: body.result?.data ?? null, problem };
}
