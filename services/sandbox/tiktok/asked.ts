import type { Account } from '../accounts.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorDeps } from '../simulator.ts';
import type { Uses } from '../uses.ts';
import type { Publications } from './publications.ts';

/** Can be set otherwise. */
export const TIKTOK_LIMITS = { initsPerMinute: 6, statusPerMinute: 30, creatorInfoPerMinute: 20, postsPerDay: 15 };
export type TiktokLimit = keyof typeof TIKTOK_LIMITS;

export interface TiktokDeps extends SimulatorDeps {
  readonly publications: Publications;
  readonly limits: Limits<TiktokLimit>;
  readonly uses: Uses;
}

/** A call in the name of an account, admitted. */
export interface Asked {
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
  readonly account: Account;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}
