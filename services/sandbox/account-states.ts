import type { Network } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

/** What an account can be put into, by the one Network that has it. */
const NETWORK_OF = { portfolio: 'facebook', lost_container: 'threads' } as const satisfies Record<string, Network>;
export type AccountStateName = keyof typeof NETWORK_OF;

interface AccountState {
  readonly isInPortfolio: boolean;
  /** How many finished containers the Network loses from now on. */
  readonly lostContainers: number;
}

export interface AccountStates {
  /** Whether a business portfolio owns this Page. */
  isInPortfolio(accountId: string): boolean;
  enterPortfolio(accountId: string): void;
  loseContainers(accountId: string, count: number): void;
  /** Counts one of the containers that are to be lost; false: none is. */
  takeLostContainer(accountId: string): boolean;
}

const ORDINARY: AccountState = { isInPortfolio: false, lostContainers: 0 };

export const accountStatesOf = (network: Network): readonly AccountStateName[] =>
  (Object.keys(NETWORK_OF) as AccountStateName[]).filter((name) => NETWORK_OF[name] === network);

/** What a test says of single accounts. It survives restarts. */
export function createAccountStates(store: SandboxStore): AccountStates {
  const states = shelf<AccountState>(store, 'account-states');
  const of = (accountId: string) => states.get(accountId) ?? ORDINARY;
  return {
    isInPortfolio: (accountId) => of(accountId).isInPortfolio,
    enterPortfolio: (accountId) => states.put(accountId, { ...of(accountId), isInPortfolio: true }),
    loseContainers: (accountId, count) => states.put(accountId, { ...of(accountId), lostContainers: count }),
    takeLostContainer(accountId) {
      const state = of(accountId);
      if (state.lostContainers === 0) return false;
      states.put(accountId, { ...state, lostContainers: state.lostContainers - 1 });
      return true;
    },
  };
}
