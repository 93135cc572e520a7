import type { Network } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/workspace/turn.ts';
import type { NetworkAdapter, NetworkAuth, NetworkEndpoints } from './adapter.ts';
import { createThreadsAuth } from './threads/auth.ts';
import { threadsLimits } from './threads/limits.ts';
import { createThreadsAdapter } from './threads/publish.ts';
import type { AdapterOptions } from './waits.ts';
import { createXAuth } from './x/auth.ts';
import { xLimits } from './x/limits.ts';
import { createXAdapter } from './x/publish.ts';

type PerNetwork<T> = Readonly<Partial<Record<Network, T>>>;

type Addresses = Pick<NetworkEndpoints, 'api' | 'authorize' | 'site'>;

interface Maker {
  readonly adapter: (endpoints: NetworkEndpoints, options: AdapterOptions) => NetworkAdapter;
  readonly auth: (endpoints: NetworkEndpoints) => NetworkAuth;
  readonly limits: NetworkLimits;
  /** What is real, and under which path a sandbox has the same. */
  readonly live: Addresses;
  readonly sandbox: Addresses;
}

const MAKERS: PerNetwork<Maker> = {
  x: {
    adapter: createXAdapter,
    auth: createXAuth,
    limits: xLimits,
    live: { api: 'https://api.x.com', authorize: 'https://x.com/i/oauth2/authorize', site: 'https://x.com' },
    sandbox: { api: '/sim/x', authorize: '/sim/x/i/oauth2/authorize', site: '/sim/x' },
  },
  threads: {
    adapter: createThreadsAdapter,
    auth: createThreadsAuth,
    limits: threadsLimits,
    live: { api: 'https://graph.threads.net', authorize: 'https://threads.com/oauth/authorize', site: 'https://www.threads.com' },
    sandbox: { api: '/sim/threads', authorize: '/sim/threads/oauth/authorize', site: '/sim/threads' },
  },
};

const makers = Object.entries(MAKERS) as readonly (readonly [Network, Maker])[];

export interface Networks {
  readonly adapters: PerNetwork<NetworkAdapter>;
  readonly auths: PerNetwork<NetworkAuth>;
  readonly limits: PerNetwork<NetworkLimits>;
}

/** The Networks there are endpoints for. `limits` has every one, whatever can be published to. */
export function createNetworks(endpoints: PerNetwork<NetworkEndpoints>, options: AdapterOptions = {}): Networks {
  const given = makers.flatMap(([network, maker]) => {
    const own = endpoints[network];
    return own === undefined ? [] : [{ network, maker, own }];
  });
  return {
    adapters: Object.fromEntries(given.map(({ network, maker, own }) => [network, maker.adapter(own, options)])),
    auths: Object.fromEntries(given.map(({ network, maker, own }) => [network, maker.auth(own)])),
    limits: networkLimits,
  };
}

/** What each Network allows; needs no endpoints. */
export const networkLimits: PerNetwork<NetworkLimits> = Object.fromEntries(makers.map(([network, maker]) => [network, maker.limits]));

/** Every Network of a sandbox at `sandboxUrl`, with the app that sandboxes know. */
export function sandboxEndpoints(sandboxUrl: string): PerNetwork<NetworkEndpoints> {
  const base = sandboxUrl.replace(/\/+$/, '');
  return Object.fromEntries(
    makers.map(([network, { sandbox }]) => [
      network,
      { api: base + sandbox.api, authorize: base + sandbox.authorize, site: base + sandbox.site, clientId: 'crier-sandbox', clientSecret: 'crier-sandbox-secret' },
    ]),
  );
}

export interface AppCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The real Networks, those that `apps` has whole credentials for. */
export function liveEndpoints(apps: PerNetwork<AppCredentials>): PerNetwork<NetworkEndpoints> {
  return Object.fromEntries(
    makers.flatMap(([network, { live }]) => {
      const app = apps[network];
      return app === undefined || app.clientId === '' || app.clientSecret === '' ? [] : [[network, { ...live, ...app }]];
    }),
  );
}
