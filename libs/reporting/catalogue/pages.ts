import { counts, event, failure, observes, repeatedWarning } from '../event.ts';
import { id, milliseconds, name, optional, text } from '../fact.ts';
import { counter, histogram, REQUEST_SECONDS } from '../metric.ts';

const callDuration = histogram(
  'crier_app_call_duration_seconds',
  "Time to answer a call of the app's pages",
  REQUEST_SECONDS,
  ['procedure', 'code'],
);
const foreignCalls = counter(
  'crier_app_foreign_calls_total',
  "Calls to the app's procedures that were refused because no page of this installation made them",
);

const strangersRefused = counter(
  'crier_strangers_refused_total',
  'Requests without a valid credential that were refused because their address had sent too many',
  ['door'],
);

/** Calls of the app's pages. */
export const PAGE_EVENTS = {
  'app-call-served': event({
    level: 'debug',
    isAccess: true,
    // Answers that say that Crier could not do its work.
    warnsWhen: ['code', ['unavailable', 'outcome_unknown']],
    help: "A call of the app's pages was answered",
    facts: {
      procedure: name,
      code: name,
      durationMs: milliseconds,
      requestId: optional(id),
      traceId: optional(id),
      workspaceId: optional(id),
      memberId: optional(id),
      /** Of the Post that it is about. */
      postId: optional(id),
      client: optional(id),
      /** Of an engine, for operators only. */
      detail: optional(text),
    },
    feeds: [observes(callDuration, 'durationMs')],
  }),
  'app-call-foreign': repeatedWarning({
    help: "A call to the app's procedures was refused, because no page of this installation made it",
    facts: { client: optional(id) },
    feeds: [counts(foreignCalls)],
  }),
  'stranger-refused': repeatedWarning({
    help: 'A request without a valid credential was refused: its address had sent too many',
    facts: { door: name, client: optional(id) },
    feeds: [counts(strangersRefused)],
  }),
};

export const PAGE_FAILURES = {
  'app-call-failed': failure("A call of the app's pages ended with an unexpected error", {
    procedure: name,
    requestId: optional(id),
  }),
};
