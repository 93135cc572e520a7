import type { EventName, FailureName } from '#reporting/catalogue.ts';
import type { Fact, Facts } from '#reporting/fact.ts';
import type { Reporter } from '#reporting/reporter.ts';

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
  of(event: EventName | FailureName): readonly ReportedEvent[];
  failures(): readonly ReportedEvent[];
  clear(): void;
}

/** Keeps what is reported, for a test to look at. */
export function createMemoryReporter(): MemoryReporter {
  const events: ReportedEvent[] = [];
  return {
    events,
    report: (event, facts: Facts = {}) => void events.push({ event, facts: { ...facts } }),
    failure: (event, error, facts: Facts = {}) => void events.push({ event, facts: { ...facts }, error }),
    of: (event) => events.filter((reported) => reported.event === event),
    failures: () => events.filter((reported) => 'error' in reported),
    clear: () => void events.splice(0),
  };
}
