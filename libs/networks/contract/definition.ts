import type { Network, NetworkWith } from '#domain/network.ts';
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
  SignInSettings,
} from './adapter.ts';
import type { NetworkTargets } from './targets.ts';
import type { AdapterOptions } from './waits.ts';

/** Settings of the installation that addresses and sign-ins of some Networks depend on. */
export interface InstallationSettings {
  /** e.g. `v25.0`. */
  readonly graphVersion: string;
  readonly instagramLogin: 'instagram' | 'facebook';
  readonly instagramConfigId: string;
  /** Separated by commas; '' = what Crier asks for. */
  readonly instagramScopes: string;
  readonly facebookConfigId: string;
  /** Separated by commas; '' = what Crier asks for. */
  readonly tiktokScopes: string;
}

/**
 * One Network, whole: libs/networks/<name>/definition.ts exports it, and libs/networks/registry.ts lists it. What rooms
 * below need of it is in libs/domain/networks/<name>.ts.
 */
export interface NetworkDefinition {
  readonly adapter: (endpoints: NetworkEndpoints, options: AdapterOptions) => NetworkAdapter;
  readonly auth: (endpoints: NetworkEndpoints) => NetworkAuth;
  /** Where first comments can be sent: the Networks whose facts have the option `firstComment`. */
  readonly comments?: (endpoints: NetworkEndpoints, options: AdapterOptions) => NetworkComments;
  /** Where accounts differ in what they may choose from. */
  readonly choices?: (endpoints: NetworkEndpoints) => NetworkChoices;
  /** Every scope that a person may be asked for. */
  readonly scopes: readonly string[];
  readonly limits: NetworkLimits;
  readonly targets: NetworkTargets;
  readonly budget: NetworkBudget;
  /**
   * The files that the Network fetches from this installation by address, in words for `crier doctor`; null: Crier
   * sends it the bytes of every file.
   */
  readonly fetches: string | null;
  /** The real addresses. */
  readonly live: NetworkAddresses;
  /** The paths under which a sandbox has the same. */
  readonly sandbox: NetworkAddresses;
  /** `live`, with what settings change in it. Absent: no setting changes it. */
  readonly addressesFor?: (live: NetworkAddresses, settings: InstallationSettings) => NetworkAddresses;
  /** What settings say of signing in; throws an Error that says what is wrong with them. Absent: nothing. */
  readonly signInOf?: (settings: InstallationSettings) => SignInSettings;
  /** By which login people sign in, in words for `crier doctor`. Absent, or null: by the Network's own. */
  readonly loginOf?: (settings: InstallationSettings) => string | null;
}

/** A definition has metrics where the domain says that the Network has some, and nowhere else. */
export type DefinitionOf<N extends Network> = NetworkDefinition &
  (N extends NetworkWith<'hasMetrics'>
    ? { readonly metrics: (endpoints: NetworkEndpoints) => NetworkMetrics }
    : { readonly metrics?: never });
