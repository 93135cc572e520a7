import type { Network } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

/**
 * How far a Network has approved the operator's app. `audited`: in full. `unaudited`: what it publishes is not public.
 * `missing_scopes`: it lacks some scopes, and a sign-in that asks for one of them is refused. `business_login`: a
 * sign-in names a configuration in place of scopes.
 */
const APP_STATE_NAMES = ['audited', 'unaudited', 'missing_scopes', 'business_login'] as const;
export type AppStateName = (typeof APP_STATE_NAMES)[number];

export interface AppState {
  readonly state: AppStateName;
  /** What an app in the state `missing_scopes` lacks; empty in any other. */
  readonly scopes: readonly string[];
}

export interface AppStates {
  get(network: Network): AppState;
  set(network: Network, to: AppState): void;
}

const AUDITED: AppState = { state: 'audited', scopes: [] };
const NETWORKS_OF: Readonly<Partial<Record<AppStateName, readonly Network[]>>> = {
  unaudited: ['tiktok', 'youtube'],
  business_login: ['facebook'],
};

/** The states that change anything at this Network. */
export const appStatesOf = (network: Network): readonly AppStateName[] =>
  APP_STATE_NAMES.filter((name) => NETWORKS_OF[name]?.includes(network) ?? true);

/** The states of the operator's app, one at each Network. They survive restarts. */
export function createAppStates(store: SandboxStore): AppStates {
  const states = shelf<AppState>(store, 'app-states');
  return {
    get: (network) => states.get(network) ?? AUDITED,
    set: (network, to) => states.put(network, to),
  };
}
