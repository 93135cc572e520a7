import type { Network } from '#domain/network.ts';
import { shelf } from './store/store.ts';
import type { SandboxStore } from './store/store.ts';

/** What counts against a limit of so many in a time. */
export interface Uses {
  /** Counts one more; false: there are `most` within the window already. */
  admit(what: string, accountId: string, most: number, windowMs: number, now: number): boolean;
}

/** Sliding windows, kept over restarts. */
export function createUses(store: SandboxStore, network: Network): Uses {
  const uses = shelf<{ readonly at: readonly number[] }>(store, `${network}.uses`);
  return {
    admit(what, accountId, most, windowMs, now) {
      const key = `${accountId}/${what}`;
      const recent = (uses.get(key)?.at ?? []).filter((at) => at > now - windowMs);
      if (recent.length >= most) return false;
      uses.put(key, { at: [...recent, now] });
      return true;
    },
  };
}
