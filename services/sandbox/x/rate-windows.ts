import type { Limits } from '../limits.ts';
import { shelf, type SandboxStore } from '../store/store.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Calls allowed in a window, by name, and the newest posts that a timeline has; each configurable. */
export const X_LIMITS = {
  tweetsCreatePerUser: 100,
  tweetsCreatePerApp: 10_000,
  usersTweetsPerUser: 900,
  usersTweetsPerApp: 10_000,
  usersMePerUser: 75,
  mediaUploadPerUser: 500,
  mediaPartsPerUser: 1_875,
  mediaStatusPerUser: 1_000,
  mediaMetadataPerUser: 500,
  mediaUploadPerApp: 50_000,
  mediaPartsPerApp: 180_000,
  mediaStatusPerApp: 100_000,
  mediaMetadataPerApp: 50_000,
  timelinePosts: 3_200,
};
export type XLimit = keyof typeof X_LIMITS;

interface Window {
  readonly limit: XLimit;
  readonly lengthMs: number;
  readonly of: 'user' | 'app';
  /** The prefix of its three headers. */
  readonly header: string;
}

const perUser = (limit: XLimit): Window => ({ limit, lengthMs: QUARTER_MS, of: 'user', header: 'x-rate-limit' });
const perAppAndDay = (limit: XLimit): Window => ({ limit, lengthMs: DAY_MS, of: 'app', header: 'x-app-limit-24hour' });
const mediaParts = [perUser('mediaPartsPerUser'), perAppAndDay('mediaPartsPerApp')];

const WINDOWS: Readonly<Record<string, readonly Window[]>> = {
  'tweets.create': [perUser('tweetsCreatePerUser'), perAppAndDay('tweetsCreatePerApp')],
  'users.tweets': [
    perUser('usersTweetsPerUser'),
    { limit: 'usersTweetsPerApp', lengthMs: QUARTER_MS, of: 'app', header: 'x-app-rate-limit' },
  ],
  'users.me': [perUser('usersMePerUser')],
  'media.upload': [perUser('mediaUploadPerUser'), perAppAndDay('mediaUploadPerApp')],
  'media.initialize': mediaParts,
  'media.append': mediaParts,
  'media.finalize': mediaParts,
  'media.status': [perUser('mediaStatusPerUser'), perAppAndDay('mediaStatusPerApp')],
  'media.metadata': [perUser('mediaMetadataPerUser'), perAppAndDay('mediaMetadataPerApp')],
};

/** A reply is a post to X, and counts as one. */
const COUNTED_AS: Readonly<Record<string, string>> = { 'tweets.reply': 'tweets.create' };

/** By call and limit: three calls have the same limit, each counted separately. */
type WindowUse = Readonly<Record<string, { readonly since: number; readonly calls: number }>>;

export interface WindowAdmission {
  readonly admitted: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RateWindows {
  /** Counts a call, or refuses it (a refused one isn't counted). The answer has `headers` in both cases. */
  admit(call: string, accountId: string, now: number): WindowAdmission;
  /** The headers of a user window that is exhausted until `resetAt`. */
  exhausted(call: string, resetAt: number): Readonly<Record<string, string>>;
}

const unixSeconds = (instant: number) => String(Math.ceil(instant / 1000));

/** Fixed windows: one begins with the first call after the last one ended. */
export function createRateWindows(store: SandboxStore, limits: Limits<XLimit>): RateWindows {
  const used = shelf<{ readonly used: WindowUse }>(store, 'x.windows');
  const keyOf = (window: Window, accountId: string) => (window.of === 'app' ? 'app' : `user/${accountId}`);
  return {
    admit(named, accountId, now) {
      const call = COUNTED_AS[named] ?? named;
      const states = (WINDOWS[call] ?? []).map((window) => {
        const kept = used.get(keyOf(window, accountId))?.used[`${call}/${window.limit}`];
        const running = kept !== undefined && now >= kept.since && now < kept.since + window.lengthMs;
        return {
          window,
          since: running ? kept.since : now,
          calls: running ? kept.calls : 0,
          allowed: limits.get(window.limit),
        };
      });
      const admitted = states.every(({ calls, allowed }) => calls < allowed);
      const headers: Record<string, string> = {};
      for (const { window, since, calls, allowed } of states) {
        const counted = calls + (admitted ? 1 : 0);
        const key = keyOf(window, accountId);
        if (admitted)
          used.put(key, { used: { ...used.get(key)?.used, [`${call}/${window.limit}`]: { since, calls: counted } } });
        headers[`${window.header}-limit`] = String(allowed);
        headers[`${window.header}-remaining`] = String(Math.max(0, allowed - counted));
        headers[`${window.header}-reset`] = unixSeconds(since + window.lengthMs);
      }
      return { admitted, headers };
    },
    exhausted(call, resetAt) {
      const window = (WINDOWS[COUNTED_AS[call] ?? call] ?? [])[0];
      const allowed = window === undefined ? 0 : limits.get(window.limit);
      return {
        'x-rate-limit-limit': String(allowed),
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': unixSeconds(resetAt),
      };
    },
  };
}
