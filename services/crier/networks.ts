import { changeBudgets } from '#networks/budgets.ts';
import { createNetworks, liveEndpoints, sandboxEndpoints, type Networks } from '#networks/registry.ts';
import { ConfigError, type Config } from '#runtime/config.ts';

/** The sandbox's ladders run a hundred times faster than the real ones, so who waits for them looks that much sooner. */
const SANDBOX_WAIT_FACTOR = 0.01;

/** `sandboxUrl`: where the sandbox is, unless the Networks are live. */
export function networksOf(config: Config, sandboxUrl: string): Networks {
  const networks = withEndpoints(config, sandboxUrl);
  return { ...networks, budgets: budgetsOf(config, networks) };
}

function budgetsOf(config: Config, { budgets }: Networks): Networks['budgets'] {
  try {
    return changeBudgets(budgets, config.networkBudgets);
  } catch (error) {
    throw new ConfigError(`CRIER_NETWORK_BUDGETS: ${(error as Error).message}`);
  }
}

function withEndpoints(config: Config, sandboxUrl: string): Networks {
  if (config.networks === 'sandbox') return createNetworks(sandboxEndpoints(sandboxUrl), { waitFactor: SANDBOX_WAIT_FACTOR });
  const app = (clientId: string, clientSecret: string | null) => ({ clientId, clientSecret: clientSecret ?? '' });
  return createNetworks(
    liveEndpoints({
      ...(config.xClientId === '' ? {} : { x: app(config.xClientId, config.xClientSecret) }),
      ...(config.threadsClientId === '' ? {} : { threads: app(config.threadsClientId, config.threadsClientSecret) }),
    }),
  );
}
