/** A step of an attempt, as variants.attempts tells it. */
export interface AttemptFact {
  readonly attempt: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly step: string;
  readonly outcome: string;
  readonly detail: string | null;
  readonly remoteId: string | null;
}

/** What the step came to, as a fact of the past. */
export function attemptWords({ step, outcome }: Pick<AttemptFact, 'step' | 'outcome'>, network: string): string {
  return WORDS[`${step} ${outcome}`]?.(network) ?? `${step}: ${outcome}`;
}

const WORDS: Readonly<Record<string, (network: string) => string>> = {
  'prepare ready': () => 'Prepared',
  'prepare wait': (network) => `${network} still works on the files`,
  'prepare processing': (network) => `${network} still works on the files`,
  'prepare published': (network) => `${network} says that it is live already`,
  'prepare failed': () => 'Could not be prepared',
  'prepare unknown': (network) => `${network} did not answer while it was prepared`,
  'publish published': () => 'Handed over: it is live',
  'publish accepted': (network) => `Handed over: ${network} took it, and shows it when it is ready`,
  'publish processing': (network) => `Handed over: ${network} took it, and shows it when it is ready`,
  'publish wait': (network) => `${network} asked to wait`,
  'publish failed': () => 'Handed over, and refused',
  'publish unknown': (network) => `Handed over, and ${network} did not say whether it took it`,
  'reconcile published': (network) => `Asked ${network} what became of it: it is live`,
  'reconcile processing': (network) => `Asked ${network} what became of it: it still works on it`,
  'reconcile accepted': (network) => `Asked ${network} what became of it: it still works on it`,
  'reconcile absent': (network) => `Asked ${network} what became of it: it is not there`,
  'reconcile failed': (network) => `Asked ${network} what became of it: it was refused`,
  'reconcile unknown': (network) => `Asked ${network} what became of it: no clear answer`,
  'reconcile unconfirmed': (network) => `Asked ${network} what became of it: nobody can know`,
  'verdict published': () => 'Settled: it is live',
  'verdict failed': () => 'Settled: nothing was published',
  'verdict unconfirmed': () => 'Given up asking: nobody knows whether it is live',
};

/** When it went live, ISO 8601; null: not known, or not live. */
export function liveAtOf(facts: readonly AttemptFact[]): string | null {
  const found = facts.find(({ outcome }) => outcome === 'published');
  return found === undefined ? null : (found.finishedAt ?? found.startedAt);
}

/** "2 s late", "on time"; null: not scheduled. A second is what a network takes to answer. */
export function latenessWords(scheduledAt: string | null, liveAt: string): string | null {
  if (scheduledAt === null) return null;
  const seconds = Math.round((Date.parse(liveAt) - Date.parse(scheduledAt)) / 1000);
  if (seconds <= 0) return 'on time';
  if (seconds < 120) return `${seconds} s after its time`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min after its time` : `${Math.round(minutes / 60)} h after its time`;
}

/** "09:00:02": the time of day to the second. */
export function clockWords(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(Date.parse(at));
}
