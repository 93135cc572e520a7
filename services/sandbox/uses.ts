import type { Network } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

/** Counts events against a limit within a window of time. */
export interface Use {
  readonly what: string;
  readonly accountId: string;
  readonly windowMs: number;
}

export interface Uses {
  /** The number within the window. */
  count(use: Use, now: number): number;
  add(use: Use, now: number): void;
  /** Counts one more; false: there are `most` already. */
  admit(use: Use, most: number, now: number): boolean;
}

/**
 * Events of about the same time are forgotten together, at most this part of the window early: the stored state stays
 * small at any rate.
 */
const SPANS = 24;

interface Span {
  readonly since: number;
  readonly count: number;
}

/** Sliding windows that survive restarts. A window of no length has no limit. */
export function createUses(store: SandboxStore, network: Network): Uses {
  const kept = shelf<{ readonly spans: readonly Span[] }>(store, `${network}.uses`);
  const keyOf = ({ what, accountId }: Use) => `${accountId}/${what}`;
  const spansOf = (use: Use, now: number) =>
    (kept.get(keyOf(use))?.spans ?? []).filter(({ since }) => since > now - use.windowMs);
  const uses: Uses = {
    count: (use, now) => spansOf(use, now).reduce((sum, { count }) => sum + count, 0),
    add(use, now) {
      const spans = spansOf(use, now);
      const last = spans.at(-1);
      const same = last !== undefined && now - last.since < use.windowMs / SPANS;
      kept.put(keyOf(use), {
        spans: same
          ? [...spans.slice(0, -1), { ...last, count: last.count + 1 }]
          : [...spans, { since: now, count: 1 }],
      });
    },
    admit(use, most, now) {
      if (uses.count(use, now) >= most) return false;
      uses.add(use, now);
      return true;
    },
  };
  return uses;
}
