import type { Fact, Reporter } from '#ports/reporter.ts';

export interface ReportedEvent {
  readonly event: string;
  readonly facts: Readonly<Record<string, Fact>>;
  /** Set by `failure` only. */
  readonly error?: unknown;
}

export interface MemoryReporter extends Reporter {
  /** Everything reported, in order. */
  readonly events: readonly ReportedEvent[];
  /** Those of one name, in order. */
  of(event: string): readonly ReportedEvent[];
  failures(): readonly ReportedEvent[];
  clear(): void;
}

/** Keeps what is reported, for a test to look at. */
export function createMemoryReporter(): MemoryReporter {
  const events: ReportedEvent[] = [];
  return {
    events,
    report: (event, facts = {}) => void events.push({ event, facts: { ...facts } }),
    failure: (event, error, facts = {}) => void events.push({ event, facts: { ...facts }, error }),
    of: (event) => events.filter((reported) => reported.event === event),
    failures: () => events.filter((reported) => 'error' in reported),
    clear: () => void events.splice(0),
  };
}
