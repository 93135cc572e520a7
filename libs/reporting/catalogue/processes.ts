import { counts, event, failure, observes, repeatedWarning, retried } from '../event.ts';
import { flag, id, milliseconds, name, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram } from '../metric.ts';

const adminCalls = counter(
  'crier_admin_calls_total',
  'Calls of procedures by operators. outcome: ok, or the code of the error',
  ['procedure', 'outcome'],
);

const spans = counter(
  'crier_trace_spans_total',
  'Spans of traces that were kept. exported: a collector took them; dropped: it did not, or too many waited for it',
  ['outcome'],
);

const loopBlocks = histogram(
  'crier_event_loop_blocked_seconds',
  'How long one piece of work kept the event loop, where that was 10 ms and more. work: the route or the consumer; unknown: it was not asked, or has no name',
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  ['work'],
);

const heldLoop = {
  work: name,
  workspaceId: optional(id),
  key: optional(id),
  blockedMs: milliseconds,
  stack: optional(text),
};

export const PROCESS_EVENTS = {
  'converters-confined': event({
    level: 'info',
    help: 'What the kernel holds those programs to that open uploaded files',
    facts: { detail: text },
  }),
  'event-loop-blocked': repeatedWarning({
    help: 'One piece of work kept the event loop for 100 ms or more, and everything else of the process waited. It is asked for its name every five seconds at most. work: the route or consumer; unknown: it was not asked, has no name, or the machine paused the process',
    facts: heldLoop,
    feeds: [observes(loopBlocks, 'blockedMs')],
  }),
  'event-loop-held': event({
    level: 'info',
    repeats: true,
    help: 'One piece of work kept the event loop for 10 to 100 ms, and was asked for its name, as one is every five seconds at most. Of 10 to 30 ms some are noticed. work: the route or consumer; unknown: it has no name',
    facts: heldLoop,
    feeds: [observes(loopBlocks, 'blockedMs')],
  }),
  'event-loop-held-unnamed': event({
    level: 'debug',
    isWritten: false,
    help: 'As event-loop-held, and not asked',
    facts: { work: name, blockedMs: milliseconds },
    feeds: [observes(loopBlocks, 'blockedMs')],
  }),
  'event-loop-stuck': event({
    level: 'error',
    help: 'One piece of work kept the event loop for two minutes, and the process was ended: this is its last line, on stderr. It is counted nowhere',
    facts: heldLoop,
  }),
  'settings-warning': event({
    level: 'warn',
    help: 'A setting is allowed and hardly ever meant',
    facts: { detail: text },
  }),
  started: event({
    level: 'info',
    help: 'The process runs and opens its engines; it is not ready yet',
    facts: { engine: name, node: text },
  }),
  ready: event({
    level: 'info',
    help: 'Every service of the process has started',
    facts: { afterMs: milliseconds },
  }),
  drained: event({
    level: 'info',
    help: 'The work in flight was finished or handed back, and every service has stopped',
    facts: { durationMs: milliseconds },
  }),
  stopped: event({
    level: 'info',
    help: 'The engines are closed: nothing of the process goes on',
  }),
  'secret-refused': event({
    level: 'error',
    help: 'CRIER_SECRET is not the secret of this installation: the process takes no work, and is not ready',
    facts: { detail: text },
  }),
  'clock-refused': event({
    level: 'error',
    help: "The machine's clock differs from those of the engine's machines: the process takes no work, or ends",
    facts: { detail: text },
  }),
  'clock-doubted': repeatedWarning({
    help: 'The clock of this machine leapt by more than 30 s, or a Network answered with a Date that differs from it by as much',
    facts: { detail: text },
  }),
  'secrets-resealed': event({
    level: 'info',
    help: 'A call of secrets.reseal ended; so many values were looked at since it began, under the key of that name',
    facts: { key: name, finished: flag, resealed: number, alreadyCurrent: number, unopenable: number },
  }),
  'format-changed': event({
    level: 'info',
    help: 'This process raised or lowered the format that the installation writes; cluster.status says what is next',
    facts: { from: number, to: number },
  }),
  'process-stopping': event({
    level: 'info',
    help: 'A signal asked the process to end: it drains its services and stops',
    facts: { signal: name },
  }),
  'log-level-changed': event({
    level: 'info',
    help: 'The level of this log is another one from now on. why operator: somebody called log.level; time: the usual one is back',
    facts: { from: name, to: name, why: word('operator', 'time') },
  }),
  'spans-exported': event({
    level: 'debug',
    isWritten: false,
    help: 'A collector took spans',
    facts: { count: number },
    feeds: [counts(spans, { value: 'count', constants: { outcome: 'exported' } })],
  }),
  'spans-dropped': repeatedWarning({
    help: 'Spans did not reach a collector. queue: more waited than OTEL_BSP_MAX_QUEUE_SIZE; collector: it did not take them; end: it had not when the process ended',
    facts: { count: number, why: word('queue', 'collector', 'end'), detail: optional(text) },
    feeds: [counts(spans, { value: 'count', constants: { outcome: 'dropped' } })],
  }),
  'operator-called': event({
    level: 'info',
    help: 'An operator called a procedure that changes something, and it was answered; `actor` is the name of the token',
    facts: { actor: name, procedure: name, outcome: name, workspaceId: optional(id) },
    feeds: [counts(adminCalls)],
  }),
  'operator-looked': event({
    level: 'debug',
    help: 'An operator called a procedure that only looks, and it was answered',
    facts: { actor: name, procedure: name, outcome: name },
    feeds: [counts(adminCalls)],
  }),
  'sandbox-started': event({
    level: 'info',
    help: 'The sandbox listens',
    facts: { address: text },
  }),
};

export const PROCESS_GAUGES = {
  roles: gauge('crier_roles', '1 for each role of this process, by CRIER_ROLES: summed, how many processes have it', [
    'role',
  ]),
  ready: gauge(
    'crier_ready',
    '1 where /health/ready of this process answers 200, as it is checked at the scrape; else 0',
  ),
  checkFailed: gauge(
    'crier_check_failed',
    'What /health/ready of this process says of the tables (store), the log, the clock of the machine and CRIER_SECRET, as it is checked at the scrape: 1 where it names a trouble, else 0',
    ['check'],
  ),
  clockTimestamp: gauge(
    'crier_clock_timestamp_seconds',
    'The time that this process goes by, which is that of the clock of the machine but for a leap that it does not follow: Prometheus compares it with its own',
  ),
  clockAhead: gauge(
    'crier_clock_ahead_seconds',
    "How far the clock of this machine is ahead of the middle one of Cassandra's nodes, below 0: behind; on one machine, of the Date in the latest answer of a Network. Absent: nothing to compare with so far",
    ['reference'],
  ),
  clockLeap: gauge(
    'crier_clock_leap_seconds',
    'How far the clock of the machine has leapt without this process going by it, until it is known to be right; 0: it has not',
  ),
};

export const PROCESS_FAILURES = {
  'loop-watchdog-failed': failure('The thread that watches the event loop ended: what blocks it is not named any more'),
  'process-announcement-failed': retried('The row by which other processes know this one could not be written'),
  'listener-failed': failure('A listener ended with an error, and readiness is red', { listener: name }),
  'presence-failed': failure(
    'The row of this process could not be renewed, or the format not be read; it is tried again',
  ),
  'service-stop-failed': failure('A service could not be drained or stopped', { service: name }),
  'housekeeping-failed': failure('A housekeeping job failed; its next run does the work', { job: name }),
  'operator-call-not-kept': failure('A call of an operator is missing from the audit of operators', {
    actor: name,
    procedure: name,
    outcome: name,
  }),
  'procedure-failed': failure('A defect: an admin procedure ended with an unexpected error', {
    procedure: optional(name),
  }),
  'admin-request-failed': failure('A defect: a request of the admin listener ended with an unexpected error', {
    path: text,
  }),
  'sandbox-request-failed': failure('A defect: the sandbox ended a request with an unexpected error', {
    method: optional(name),
    path: text,
  }),
  'sandbox-inbox-failed': failure("A defect: the sandbox's webhook inbox ended a request with an unexpected error"),
};
