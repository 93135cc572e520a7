import type { Network } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

const DEFAULT_FACTOR = 0.01;

/**
 * How much faster than the real Networks this one is in its processing waits. Lifetimes of tokens are never scaled, nor
 * are rate windows, except the minute in which tiktok counts status reads: clients send those more often by the same
 * factor.
 */
export interface Timing {
  factor(network: Network): number;
  set(network: Network, factor: number): void;
  /** The wait that stands for `realMs` at the real Network. */
  scaled(network: Network, realMs: number): number;
}

export function createTiming(store: SandboxStore): Timing {
  const factors = shelf<{ readonly factor: number }>(store, 'timing');
  const factor = (network: Network) => factors.get(network)?.factor ?? DEFAULT_FACTOR;
  return {
    factor,
    set: (network, value) => factors.put(network, { factor: value }),
    scaled: (network, realMs) => realMs * factor(network),
  };
}

/** How long a published post takes to appear in lists. */
export const LISTED_AFTER_MS = 3_000;
