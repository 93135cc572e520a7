import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import type {
  NetworkAdapter,
  NetworkAddresses,
  NetworkAuth,
  NetworkBudget,
  NetworkDefinition,
  NetworkEndpoints,
  NetworkMetrics,
} from './contract/adapter.ts';
import { facebookNetwork } from './facebook/network.ts';
import { instagramNetwork } from './instagram/network.ts';
import { targetsOfPost, type Targets } from './contract/targets.ts';
import { threadsNetwork } from './threads/network.ts';
import { tiktokNetwork } from './tiktok/network.ts';
import type { AdapterOptions } from './contract/waits.ts';
import { xNetwork } from './x/network.ts';
import { youtubeNetwork } from './youtube/network.ts';

type PerNetwork<T> = Readonly<Partial<Record<Network, T>>>;

const DEFINITIONS: PerNetwork<NetworkDefinition> = {
  facebook: facebookNetwork,
  instagram: instagramNetwork,
  tiktok: tiktokNetwork,
  youtube: youtubeNetwork,
  x: xNetwork,
  threads: threadsNetwork,
};

const definitions = Object.entries(DEFINITIONS) as readonly (readonly [Network, NetworkDefinition])[];

function each<T>(of: (definition: NetworkDefinition) => T): PerNetwork<T> {
  return Object.fromEntries(definitions.map(([network, definition]) => [network, of(definition)]));
}

export interface Networks {
  readonly adapters: PerNetwork<NetworkAdapter>;
  readonly auths: PerNetwork<NetworkAuth>;
  readonly metrics: PerNetwork<NetworkMetrics>;
  readonly limits: PerNetwork<NetworkLimits>;
  readonly budgets: PerNetwork<NetworkBudget>;
}

/** The Networks there are endpoints for. `limits` and `budgets` have every one, whatever can be published to. */
export function createNetworks(endpoints: PerNetwork<NetworkEndpoints>, options: AdapterOptions = {}): Networks {
  const given = definitions.flatMap(([network, definition]) => {
    const own = endpoints[network];
    return own === undefined ? [] : [{ network, definition, own }];
  });
  return {
    adapters: Object.fromEntries(
      given.map(({ network, definition, own }) => [network, definition.adapter(own, options)]),
    ),
    auths: Object.fromEntries(given.map(({ network, definition, own }) => [network, definition.auth(own)])),
    metrics: Object.fromEntries(
      given.flatMap(({ network, definition, own }) =>
        definition.metrics === undefined ? [] : [[network, definition.metrics(own)]],
      ),
    ),
    limits: networkLimits,
    budgets: each(({ budget }) => budget),
  };
}

/** What each Network allows; needs no endpoints. */
export const networkLimits: PerNetwork<NetworkLimits> = each(({ limits }) => limits);

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
  const definition = DEFINITIONS[network];
  if (definition === undefined) throw new Error(`there is no Network ${network}`);
  return targetsOfPost(definition.targets, { placement, files, accountKind });
}

/** Those that services/sandbox plays; the others can be published to live only. */
const PLAYED: readonly Network[] = ['facebook', 'instagram', 'tiktok', 'youtube', 'x', 'threads'];

/** Every Network of a sandbox at `sandboxUrl`, with the app that sandboxes know. */
export function sandboxEndpoints(sandboxUrl: string): PerNetwork<NetworkEndpoints> {
  const base = sandboxUrl.replace(/\/+$/, '');
  const played = definitions.filter(([network]) => PLAYED.includes(network));
  return Object.fromEntries(
    played.map(([network, { sandbox }]) => [
      network,
      { ...under(base, sandbox), clientId: 'crier-sandbox', clientSecret: 'crier-sandbox-secret' },
    ]),
  );
}

function under(base: string, { api, authorize, site, hosts }: NetworkAddresses): NetworkAddresses {
  const further = Object.fromEntries(Object.entries(hosts).map(([name, path]) => [name, base + path]));
  return { api: base + api, authorize: base + authorize, site: base + site, hosts: further };
}

export interface AppCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Where the real Networks are. */
export const liveAddresses: PerNetwork<NetworkAddresses> = each(({ live }) => live);

/** The real Networks, those that `apps` has whole credentials for. */
export function liveEndpoints(
  apps: PerNetwork<AppCredentials>,
  addresses = liveAddresses,
): PerNetwork<NetworkEndpoints> {
  return Object.fromEntries(
    definitions.flatMap(([network, { live }]) => {
      const app = apps[network];
      return app === undefined || app.clientId === '' || app.clientSecret === ''
        ? []
        : [[network, { ...(addresses[network] ?? live), ...app }]];
    }),
  );
}
