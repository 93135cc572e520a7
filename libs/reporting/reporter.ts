import type { EventName, EVENTS, FailureName, FAILURES } from './catalogue.ts';
import type { FactsOf } from './fact.ts';

export type EventFacts<E extends EventName> = FactsOf<(typeof EVENTS)[E]['facts']>;
export type FailureFacts<E extends FailureName> = FactsOf<(typeof FAILURES)[E]['facts']>;

/** Facts may be left out where none is required, and there are none where the event has none. */
type FactsArgument<T> = [keyof T] extends [never] ? [] : Record<never, never> extends T ? [facts?: T] : [facts: T];

/**
 * One call per event: it feeds the log line and the metrics that the catalogue declares for the event
 * (libs/reporting/catalogue.ts). Never throws. Never pass a token, key or password.
 */
export interface Reporter {
  report<E extends EventName>(event: E, ...facts: FactsArgument<EventFacts<E>>): void;
  /** An error, with what was being done. */
  failure<E extends FailureName>(event: E, error: unknown, ...facts: FactsArgument<FailureFacts<E>>): void;
}
