import type { FileFacts } from '#domain/media/file-facts.ts';
import { NETWORKS, perNetwork, type Network, type Placement } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import type {
  NetworkAdapter,
  NetworkAddresses,
  NetworkAuth,
  NetworkBudget,
  NetworkChoices,
  NetworkComments,
  NetworkEndpoints,
  NetworkMetrics,
} from './contract/adapter.ts';
import type { DefinitionOf, InstallationSettings, NetworkDefinition } from './contract/definition.ts';
import { facebookNetwork } from './facebook/definition.ts';
import { instagramNetwork } from './instagram/definition.ts';
import { targetsOfPost, type Targets } from './contract/targets.ts';
import { threadsNetwork } from './threads/definition.ts';
import { tiktokNetwork } from './tiktok/definition.ts';
import { lightTimeoutMs, type AdapterOptions } from './contract/waits.ts';
import { xNetwork } from './x/definition.ts';
import { youtubeNetwork } from './youtube/definition.ts';

/** Every Network there is: one that the domain names and this table leaves out does not compile. */
const DEFINITIONS: { readonly [N in Network]: DefinitionOf<N> } = {
  facebook: facebookNetwork,
  instagram: instagramNetwork,
  tiktok: tiktokNetwork,
  youtube: youtubeNetwork,
  x: xNetwork,
  threads: threadsNetwork,
};
export const networkDefinitions: Readonly<Record<Network, NetworkDefinition>> = DEFINITIONS;

/** Only the Networks that this installation can call. */
type Callable<T> = Readonly<Partial<Record<Network, T>>>;

export interface Networks {
  readonly adapters: Callable<NetworkAdapter>;
  readonly auths: Callable<NetworkAuth>;
  readonly comments: Callable<NetworkComments>;
  readonly choices: Callable<NetworkChoices>;
  readonly metrics: Callable<NetworkMetrics>;
  readonly limits: Readonly<Record<Network, NetworkLimits>>;
  readonly budgets: Readonly<Record<Network, NetworkBudget>>;
}

/** Adapters, auths and metrics of the Networks that have endpoints; limits and budgets of every Network. */
export function createNetworks(endpoints: Callable<NetworkEndpoints>, options: AdapterOptions = {}): Networks {
  const made = <T>(make: (network: Network, own: NetworkEndpoints) => T | undefined): Callable<T> =>
    Object.fromEntries(
      NETWORKS.flatMap((network) => {
        const own = endpoints[network];
        const one = own === undefined ? undefined : make(network, own);
        return one === undefined ? [] : [[network, one]];
      }),
    );
  const ofComments = { ...options, publishTimeoutMs: lightTimeoutMs(options) };
  return {
    adapters: made((network, own) => DEFINITIONS[network].adapter(own, options)),
    auths: made((network, own) => DEFINITIONS[network].auth(own)),
    comments: made((network, own) => DEFINITIONS[network].comments?.(own, ofComments)),
    choices: made((network, own) => DEFINITIONS[network].choices?.(own)),
    metrics: made((network, own) => DEFINITIONS[network].metrics?.(own)),
    limits: networkLimits,
    budgets: perNetwork((network) => DEFINITIONS[network].budget),
  };
}

/** What each Network allows; needs no endpoints. */
export const networkLimits: Readonly<Record<Network, NetworkLimits>> = perNetwork(
  (network) => DEFINITIONS[network].limits,
);

/**
 * What is to be made of each file of a post, in order, for one Network; or why they can't be published there.
 * `accountKind`: the Channel's `kind`.
 */
export function targetsOf(
  network: Network,
  placement: Placement,
  files: readonly FileFacts[],
  accountKind: string,
): Targets {
  return targetsOfPost(DEFINITIONS[network].targets, { placement, files, accountKind });
}

/** Every Network of a sandbox at `sandboxUrl`, with the app that sandboxes know. */
export function sandboxEndpoints(sandboxUrl: string): Readonly<Record<Network, NetworkEndpoints>> {
  const base = sandboxUrl.replace(/\/+$/, '');
  return perNetwork((network) => ({
    ...under(base, DEFINITIONS[network].sandbox),
    clientId: 'crier-sandbox',
    clientSecret: 'crier-sandbox-secret',
  }));
}

function under(base: string, { api, authorize, site, hosts }: NetworkAddresses): NetworkAddresses {
  const further = Object.fromEntries(Object.entries(hosts).map(([name, path]) => [name, base + path]));
  return { api: base + api, authorize: base + authorize, site: base + site, hosts: further };
}

export type AppCredentials = Pick<NetworkEndpoints, 'clientId' | 'clientSecret'>;

/** Where the real Networks are. */
export const liveAddresses: Readonly<Record<Network, NetworkAddresses>> = perNetwork(
  (network) => DEFINITIONS[network].live,
);

/** The real Networks, those that `apps` has both an id and a secret for. */
export function liveEndpoints(apps: Callable<AppCredentials>, addresses = liveAddresses): Callable<NetworkEndpoints> {
  return Object.fromEntries(
    NETWORKS.flatMap((network) => {
      const app = apps[network];
      return app === undefined || app.clientId === '' || app.clientSecret === ''
        ? []
        : [[network, { ...addresses[network], ...app }]];
    }),
  );
}

/** `endpoints`, with what the settings of this installation say of signing in there. Throws where they are wrong. */
export function withSignIns(
  endpoints: Callable<NetworkEndpoints>,
  settings: InstallationSettings,
): Callable<NetworkEndpoints> {
  return Object.fromEntries(
    NETWORKS.flatMap((network) => {
      const own = endpoints[network];
      const signIn = networkDefinitions[network].signInOf?.(settings);
      return own === undefined ? [] : [[network, signIn === undefined ? own : { ...own, signIn }]];
    }),
  );
}
