import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import type { Network } from '#domain/network.ts';
import type { NetworkEndpoints } from '#networks/contract/adapter.ts';
import { connectSandboxAccount, type SandboxConnection } from '#connections/connect.ts';
import { byFacebookLogin } from '#networks/instagram/auth.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import { createSandbox } from '#services/sandbox/sandbox.ts';
import { sandboxHttp } from '#services/sandbox/sandbox-http.fixture.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';
import { Echoes } from '#testing/echoes.ts';

const BASE = 'http://sandbox.test';
const REDIRECT = 'https://crier.test/connect';
const APP = { clientId: 'an-app', clientSecret: 'planted-client-secret-of-the-app' };
const FAULTS = ['5xx_before_commit', '5xx_after_commit', 'drop_before_commit', 'drop_after_commit'] as const;

/** A Network for sign-ins that repeats everything sent to it, with our reports about it. */
class Door {
  readonly echoes = new Echoes();
  readonly said: unknown[] = [];
  readonly #network: Network;
  readonly #clock = createMemoryClock();
  readonly #sandbox = createSandbox({
    clock: this.#clock,
    ids: createSeededIds(1),
    store: createMemoryStore(),
    baseUrl: () => BASE,
    app: APP,
    redirectUris: () => [REDIRECT],
  });
  readonly #http = sandboxHttp(this.#sandbox);
  readonly #endpoints: NetworkEndpoints;

  constructor(network: Network, login: string) {
    this.#network = network;
    const own = { ...sandboxEndpoints(BASE)[network]!, ...APP };
    this.#endpoints = login === 'facebook' ? byFacebookLogin(own) : own;
    this.echoes.secrets.add(APP.clientSecret);
  }

  auth(app: Partial<typeof APP> = {}) {
    return createNetworks({ [this.#network]: { ...this.#endpoints, ...app } }).auths[this.#network]!;
  }

  /** Signs in, and refreshes the tokens at once. */
  async pass(app: Partial<typeof APP> = {}): Promise<SandboxConnection> {
    const http = this.echoes.around(this.#http);
    const at = { http, clock: this.#clock, ids: createSeededIds(2), redirectUri: REDIRECT, name: 'Ada' };
    // Only the app differs from our own account: people are sent with an id alone.
    const { authorizeUrl } = this.auth();
    const connected = await connectSandboxAccount({ ...at, auth: { ...this.auth(app), authorizeUrl } });
    this.said.push(connected.ok ? connected.profile : connected);
    if (connected.ok) {
      const { accessToken, refreshToken } = connected.tokens;
      for (const token of [accessToken, refreshToken ?? accessToken]) this.echoes.secrets.add(token);
      await this.#clock.advance(2 * 86_400_000);
      const refreshed = await this.auth(app).refresh(http, connected.tokens, this.#clock.now());
      this.said.push(refreshed.kind === 'ok' ? 'refreshed' : refreshed);
    }
    return connected;
  }

  async control(method: 'GET' | 'POST' | 'DELETE', path: string, body: object = {}): Promise<any> {
    const answer = await this.#http.send({
      method,
      url: `${BASE}${path}`,
      headers: { 'content-type': 'application/json' },
      timeoutMs: 1,
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    expect(answer.status, answer.body).toBeLessThan(300);
    return JSON.parse(answer.body || 'null');
  }

  /** The calls of signing in and refreshing, by the sandbox's names, with the Network of each. */
  async calls(): Promise<readonly (readonly [Network, string])[]> {
    const { calls } = (await this.control('GET', '/sandbox/calls')) as {
      calls: readonly { network: Network; call: string }[];
    };
    return [...new Map(calls.map(({ network, call }) => [`${network} ${call}`, [network, call] as const])).values()];
  }
}

const DOORS = [
  ...Object.keys(sandboxEndpoints(BASE)).map((network) => [network as Network, 'its own'] as const),
  ['instagram', 'facebook'] as const,
];

test.each(DOORS)(
  'signing in to %s by %s login: whichever call fails, no report holds a secret',
  async (network, login) => {
    const door = new Door(network, login);
    // The sandbox's Pages have no instagram account, so signing in by one ends with no account to choose.
    expect(await door.pass(), JSON.stringify(door.said)).toMatchObject({ ok: login === 'its own' });
    const calls = await door.calls();
    expect(calls.length).toBeGreaterThan(2);
    for (const [at, call] of calls) {
      for (const fault of FAULTS) {
        await door.control('POST', '/sandbox/faults', { network: at, fault, call });
        await door.pass();
        await door.control('DELETE', '/sandbox/faults');
      }
    }
    const wrong = 'planted-client-secret-that-is-wrong';
    door.echoes.secrets.add(wrong);
    expect(await door.pass({ clientSecret: wrong })).toMatchObject({ ok: false });
    expect(door.said.length).toBeGreaterThan(calls.length * FAULTS.length);
    const said = JSON.stringify(door.said);
    expect(door.echoes.foundIn(said), said).toEqual([]);
  },
);
