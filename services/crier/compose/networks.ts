import type { Network } from '#domain/network.ts';
import type { NetworkAddresses } from '#networks/contract/adapter.ts';
import { changeAddresses } from '#networks/contract/addresses.ts';
import { changeBudgets } from '#networks/contract/budgets.ts';
import { inGraphVersion } from '#networks/graph/version.ts';
import { byFacebookLogin } from '#networks/instagram/login.ts';
import {
  createNetworks,
  liveAddresses,
  liveEndpoints,
  sandboxEndpoints,
  type AppCredentials,
  type Networks,
} from '#networks/registry.ts';
import { ConfigError, type Config } from '#config/config.ts';

/**
 * The sandbox's ladders run a hundred times faster than the real ones, so who waits for them looks that much sooner.
 */
const SANDBOX_WAIT_FACTOR = 0.01;

/** `sandboxUrl`: where the sandbox is, unless the Networks are live. Throws ConfigError. */
export function networksOf(config: Config, sandboxUrl: string): Networks {
  // Looked at in any case: a wrong one should not wait for the day of going live.
  const addresses = addressesOf(config);
  const networks =
    config.networks === 'sandbox'
      ? createNetworks(sandboxEndpoints(sandboxUrl), { waitFactor: SANDBOX_WAIT_FACTOR })
      : createNetworks(liveEndpoints(appsOf(config), addresses));
  return { ...networks, budgets: budgetsOf(config, networks) };
}

function budgetsOf(config: Config, { budgets }: Networks): Networks['budgets'] {
  try {
    return changeBudgets(budgets, config.networkBudgets);
  } catch (error) {
    throw new ConfigError(`CRIER_NETWORK_BUDGETS: ${(error as Error).message}`);
  }
}

/** Where the real Networks are for this installation. Throws ConfigError. */
export function addressesOf(config: Config): Readonly<Partial<Record<Network, NetworkAddresses>>> {
  try {
    const { facebook, instagram, ...others } = changeAddresses(liveAddresses, config.networkAddresses);
    return {
      ...others,
      ...(facebook !== undefined && { facebook: inGraphVersion(facebook, config.graphVersion) }),
      ...(instagram !== undefined && { instagram: signInsAt(inGraphVersion(instagram, config.graphVersion), config) }),
    };
  } catch (error) {
    throw new ConfigError(`CRIER_NETWORK_ADDRESSES: ${(error as Error).message}`);
  }
}

function signInsAt(instagram: NetworkAddresses, config: Config): NetworkAddresses {
  return config.instagramLogin === 'facebook' ? byFacebookLogin(instagram) : instagram;
}

function appsOf(config: Config): Readonly<Record<Network, AppCredentials>> {
  const app = (clientId: string, clientSecret: string | null): AppCredentials => ({
    clientId,
    clientSecret: clientSecret ?? '',
  });
  return {
    facebook: app(config.facebookClientId, config.facebookClientSecret),
    instagram: app(config.instagramClientId, config.instagramClientSecret),
    tiktok: app(config.tiktokClientId, config.tiktokClientSecret),
    youtube: app(config.youtubeClientId, config.youtubeClientSecret),
    x: app(config.xClientId, config.xClientSecret),
    threads: app(config.threadsClientId, config.threadsClientSecret),
  };
}
