import { facebook } from './networks/facebook.ts';
import { instagram } from './networks/instagram.ts';
import { threads } from './networks/threads.ts';
import { tiktok } from './networks/tiktok.ts';
import { x } from './networks/x.ts';
import { youtube } from './networks/youtube.ts';
import type { OptionName, Privacy } from './network-options.ts';

export const PLACEMENTS = ['feed', 'story'] as const;
export type Placement = (typeof PLACEMENTS)[number];

/**
 * What rooms below libs/networks must know of a Network. libs/domain/networks/<name>.ts has it for each; the rest of
 * what Crier knows of a Network is in libs/networks/<name>/definition.ts.
 */
interface NetworkFacts {
  /** As people write it. */
  readonly displayName: string;
  /** Where a Variant can be shown. */
  readonly placements: readonly Placement[];
  /**
   * How many days a Connection may go unused before its tokens are renewed, or the Network is asked whether they still
   * hold: fewer than unused tokens live, and few enough that a dead token is noticed before the next Post is due.
   */
  readonly upkeepEveryDays: number;
  /** Whether the Network reports views, likes and the like of what was published, so that Crier reads them. */
  readonly hasMetrics: boolean;
  /** Whether a Post may give this Network a title of its own (`channelOptions.<network>.title`). */
  readonly hasTitle: boolean;
  /** What `channelOptions` may say for a Channel of this Network, beside `placement` and `text`, which all have. */
  readonly options: readonly OptionName[];
  /** The values that its `privacy` takes; none where it has no such option. */
  readonly privacies: readonly Privacy[];
  /**
   * Which covers it takes: a picture, and an instant of the video, either as an instant or as the picture that is
   * there. null: none.
   */
  readonly cover: { readonly picture: boolean; readonly moment: 'instant' | 'picture' } | null;
  /** What CRIER_<NAME>_CLIENT_ID is, in docs/settings.md and --help. */
  readonly clientIdIs: string;
}

/** Every Network there is, in the order in which lists show them. `Network` and `NETWORKS` derive from it. */
const NETWORK_FACTS = { facebook, instagram, tiktok, youtube, x, threads } as const satisfies Readonly<
  Record<string, NetworkFacts>
>;

export type Network = keyof typeof NETWORK_FACTS;
export const NETWORKS = Object.keys(NETWORK_FACTS) as unknown as readonly [Network, ...Network[]];

/** Names the Networks of whose facts `Fact` is true. */
export type NetworkWith<Fact extends 'hasMetrics' | 'hasTitle'> = {
  [N in Network]: (typeof NETWORK_FACTS)[N][Fact] extends true ? N : never;
}[Network];

export function factsOf(network: Network): NetworkFacts {
  return NETWORK_FACTS[network];
}

/** A table with what `of` gives for each Network. */
export function perNetwork<T>(of: (network: Network) => T): Readonly<Record<Network, T>> {
  return Object.fromEntries(NETWORKS.map((network) => [network, of(network)])) as Readonly<Record<Network, T>>;
}
