const DAY_MS = 24 * 3_600_000;

/** An account's number of actions within the last 24 hours. */
export interface DayCounts {
  of(accountId: string, now: number): number;
  add(accountId: string, now: number): void;
}

/**
 * The stored objects are counted, so their instants are read once, by `kept` (ascending, from `since` on), and stay in
 * memory from then on.
 */
export function createDayCounts(kept: (accountId: string, since: number) => readonly number[]): DayCounts {
  const instants = new Map<string, number[]>();
  const recent = (accountId: string, now: number): number[] => {
    const since = now - DAY_MS;
    const known = instants.get(accountId) ?? [...kept(accountId, since)];
    const first = known.findIndex((instant) => instant > since);
    if (first !== 0) known.splice(0, first < 0 ? known.length : first);
    instants.set(accountId, known);
    return known;
  };
  return {
    of: (accountId, now) => recent(accountId, now).length,
    // Nothing to add when the account is not in memory yet: the object being counted is stored by the time its instants
    // are read.
    add: (accountId, now) => void instants.get(accountId)?.push(now),
  };
}
