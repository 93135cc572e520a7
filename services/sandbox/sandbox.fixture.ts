import { createHash } from 'node:crypto';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { textOf, type SandboxAnswer, type ExchangeOutcome } from './exchange.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { SANDBOX_APP } from './simulators.ts';
import { createMemoryStore } from './store/memory-store.ts';
import { withVendorChecks } from './vendor-checks.fixture.ts';

export const BASE = 'http://sandbox.test';
const MEDIA_URL = 'https://media.test';
export const REDIRECT = 'http://app.test/callback';
const VERIFIER = 'verifier-of-at-least-forty-three-characters-0123456789';

export interface SeenItem {
  readonly status: number;
  readonly headers: SandboxAnswer['headers'];
  readonly body: any;
  readonly text: string;
}

export interface SandboxAsk {
  readonly token?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly raw?: string | Uint8Array;
  /** A multipart body. */
  readonly parts?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SandboxHarness {
  readonly clock: MemoryClock;
  readonly sandbox: Sandbox;
  /** The unchanged outcome, including cuts. */
  outcome(method: string, url: string, ask?: SandboxAsk): Promise<ExchangeOutcome>;
  /** An answer; a cut fails the test. */
  ask(method: string, url: string, ask?: SandboxAsk): Promise<SeenItem>;
}

/** `checks`: what looks at every request. Default: whether the Network's vendor documents it. */
export function createHarness(
  options: Partial<SandboxOptions> = {},
  checks: (sandbox: Sandbox) => Sandbox = withVendorChecks,
): SandboxHarness {
  const clock = createMemoryClock(Date.UTC(2026, 10, 20, 12));
  const sandbox = checks(
    createSandbox({
      clock,
      ids: createSeededIds(7),
      store: createMemoryStore(),
      baseUrl: () => BASE,
      mediaUrl: () => MEDIA_URL,
      redirectUris: () => [REDIRECT],
      ...options,
    }),
  );
  const outcome = async (
    method: string,
    url: string,
    { token, form, json, raw, parts, headers = {} }: SandboxAsk = {},
  ): Promise<ExchangeOutcome> => {
    const multipart = parts === undefined ? null : new Response(parts);
    const type =
      multipart !== null
        ? multipart.headers.get('content-type')!
        : form !== undefined
          ? 'application/x-www-form-urlencoded'
          : json !== undefined
            ? 'application/json'
            : undefined;
    const body =
      multipart !== null
        ? await multipart.bytes()
        : (raw ??
          (form !== undefined ? new URLSearchParams(form).toString() : json === undefined ? '' : JSON.stringify(json)));
    const all = {
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    };
    return sandbox.handle({
      method,
      url,
      headers: all,
      body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    });
  };
  return {
    clock,
    sandbox,
    outcome,
    async ask(method, url, ask) {
      const got = await outcome(method, url, ask);
      if ('cut' in got) throw new Error(`cut ${got.cut}`);
      const isJson = got.headers['content-type']?.startsWith('application/json') ?? false;
      const text = textOf(got);
      return { status: got.status, headers: got.headers, text, body: isJson ? JSON.parse(text) : null };
    },
  };
}

const query = (parameters: Readonly<Record<string, string>>) => new URLSearchParams(parameters).toString();

export const BASIC = {
  Authorization: `Basic ${Buffer.from(`${SANDBOX_APP.clientId}:${SANDBOX_APP.clientSecret}`).toString('base64')}`,
};

export function xAuthorizeUrl(extra: Readonly<Record<string, string>> = {}): string {
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const scope = 'tweet.read tweet.write users.read media.write offline.access';
  const asked = {
    response_type: 'code',
    client_id: SANDBOX_APP.clientId,
    redirect_uri: REDIRECT,
    scope,
    state: 's1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  return `/sim/x/i/oauth2/authorize?${query({ ...asked, auto_approve: '1', account_name: 'Ada', ...extra })}`;
}

export const xCodeForm = (code: string) => ({
  code,
  grant_type: 'authorization_code',
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
});

export interface SignedIn {
  readonly token: string;
  readonly refreshToken: string;
  readonly accountId: string;
  readonly username: string;
}

export async function codeFrom(harness: SandboxHarness, url: string): Promise<string> {
  const { headers } = await harness.ask('GET', url);
  return new URL(headers['location']!).searchParams.get('code')!;
}

export async function signInX(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const code = await codeFrom(harness, xAuthorizeUrl(extra));
  const { body } = await harness.ask('POST', '/sim/x/2/oauth2/token', { form: xCodeForm(code), headers: BASIC });
  const me = await harness.ask('GET', '/sim/x/2/users/me', { token: body.access_token });
  return {
    token: body.access_token,
    refreshToken: body.refresh_token,
    accountId: me.body.data.id,
    username: me.body.data.username,
  };
}

export function threadsAuthorizeUrl(extra: Readonly<Record<string, string>> = {}): string {
  const asked = {
    response_type: 'code',
    client_id: SANDBOX_APP.clientId,
    redirect_uri: REDIRECT,
    scope: 'threads_basic,threads_content_publish',
    state: 's1',
  };
  return `/sim/threads/oauth/authorize?${query({ ...asked, auto_approve: '1', account_name: 'Grace', ...extra })}`;
}

export const threadsCodeForm = (code: string) => ({
  client_id: SANDBOX_APP.clientId,
  client_secret: SANDBOX_APP.clientSecret,
  code,
  grant_type: 'authorization_code',
  redirect_uri: REDIRECT,
});

/** With a token of sixty days. */
export async function signInThreads(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const code = await codeFrom(harness, threadsAuthorizeUrl(extra));
  const short = await harness.ask('POST', '/sim/threads/oauth/access_token', { form: threadsCodeForm(code) });
  const exchange = query({
    grant_type: 'th_exchange_token',
    client_secret: SANDBOX_APP.clientSecret,
    access_token: short.body.access_token,
  });
  const long = await harness.ask('GET', `/sim/threads/access_token?${exchange}`);
  const me = await harness.ask('GET', '/sim/threads/v1.0/me?fields=id,username', { token: long.body.access_token });
  return { token: long.body.access_token, refreshToken: '', accountId: me.body.id, username: me.body.username };
}

/** A container that is ready to be published. */
export async function readyContainer(harness: SandboxHarness, who: SignedIn, text: string): Promise<string> {
  const { body } = await harness.ask('POST', `/sim/threads/v1.0/${who.accountId}/threads`, {
    token: who.token,
    form: { media_type: 'TEXT', text },
  });
  await harness.clock.advance(1_000);
  return body.id;
}

export async function setFault(harness: SandboxHarness, fault: object): Promise<void> {
  const { status, text } = await harness.ask('POST', '/sandbox/faults', { json: fault });
  if (status !== 200) throw new Error(text);
}

export async function liveTexts(harness: SandboxHarness): Promise<readonly string[]> {
  const { body } = await harness.ask('GET', '/sandbox/items');
  return body.items.map((item: { readonly text: string }) => item.text);
}
