import type { PersonRequestsOptions } from '#connections/person-requests.ts';
import { perNetwork, type Network } from '#domain/network.ts';
import type { NetworkAddresses } from '#networks/contract/adapter.ts';
import { changeAddresses } from '#networks/contract/addresses.ts';
import { changeAtOnce, changeBudgets } from '#networks/contract/budgets.ts';
import {
  createNetworks,
  liveAddresses,
  liveEndpoints,
  networkDefinitions,
  sandboxEndpoints,
  withSignIns,
  type AppCredentials,
  type Networks,
} from '#networks/registry.ts';
import { ConfigError, type Config } from '#config/config.ts';

/** A sandbox does a Network's own work a hundred times faster, so adapters look again that much sooner. */
const SANDBOX_WAIT_FACTOR = 0.01;

/** `sandboxUrl`: where the sandbox is; not read when the Networks are live. Throws ConfigError. */
export function networksOf(config: Config, sandboxUrl: string): Networks {
  // Addresses are checked for the sandbox too, so that a wrong one does not stop the first start that goes live.
  const addresses = addressesOf(config);
  const networks =
    config.networks === 'sandbox'
      ? createNetworks(signInsOf(config, sandboxEndpoints(sandboxUrl)), { waitFactor: SANDBOX_WAIT_FACTOR })
      : createNetworks(signInsOf(config, liveEndpoints(appsOf(config), addresses)));
  return { ...networks, budgets: budgetsOf(config, networks) };
}

function signInsOf(config: Config, endpoints: Parameters<typeof withSignIns>[0]): ReturnType<typeof withSignIns> {
  try {
    return withSignIns(endpoints, config);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** The Networks that pass on what people ask of an app: Meta's. */
const PASSING_ON = ['facebook', 'instagram', 'threads'] as const satisfies readonly Network[];

/** Our apps there. A sandbox knows one id for all, and yet each of its Networks is for itself. */
export function passingAppsOf(config: Config, sandboxUrl: string): PersonRequestsOptions['apps'] {
  const isSandbox = config.networks === 'sandbox';
  const apps = isSandbox ? sandboxEndpoints(sandboxUrl) : liveEndpoints(appsOf(config));
  return Object.fromEntries(
    PASSING_ON.flatMap((network) => {
      const app = apps[network];
      if (app === undefined) return [];
      const networks = PASSING_ON.filter((other) =>
        isSandbox ? other === network : apps[other]?.clientId === app.clientId,
      );
      return [[network, { secret: app.clientSecret, networks }]];
    }),
  );
}

function budgetsOf(config: Config, { budgets }: Networks): Networks['budgets'] {
  const allowed = changed('CRIER_NETWORK_BUDGETS', () => changeBudgets(budgets, config.networkBudgets));
  return changed('CRIER_NETWORK_AT_ONCE', () => changeAtOnce(allowed, config.networkAtOnce));
}

/** Where the real Networks are for this installation. Throws ConfigError. */
export function addressesOf(config: Config): Readonly<Record<Network, NetworkAddresses>> {
  return changed('CRIER_NETWORK_ADDRESSES', () => {
    const addresses = changeAddresses(liveAddresses, config.networkAddresses);
    return perNetwork(
      (network) => networkDefinitions[network].addressesFor?.(addresses[network], config) ?? addresses[network],
    );
  });
}

/** What a setting changes; what is wrong with its value is said under its name. */
function changed<T>(setting: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    throw new ConfigError(`${setting}: ${(error as Error).message}`);
  }
}

function appsOf(config: Config): Readonly<Record<Network, AppCredentials>> {
  return perNetwork((network) => ({
    clientId: config[`${network}ClientId`],
    clientSecret: config[`${network}ClientSecret`] ?? '',
  }));
}
