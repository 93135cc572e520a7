import { event, failure } from '../event.ts';
import { name, number, optional, text } from '../fact.ts';

export const PROCESS_EVENTS = {
  'settings-warning': event({
    level: 'warn',
    help: 'A setting is allowed and hardly ever meant',
    facts: { detail: text },
  }),
  'process-stopping': event({
    level: 'info',
    help: 'A signal asked the process to end: it drains its services and stops',
    facts: { signal: name },
  }),
  'sandbox-started': event({
    level: 'info',
    help: 'The sandbox listens',
    facts: { address: text },
  }),
  'dead-letter-unreadable': event({
    level: 'info',
    help: 'A record of dead-letters.v1 is no dead letter, and is left out of the list',
    facts: { partition: number, offset: number, detail: text },
  }),
};

export const PROCESS_FAILURES = {
  'listener-failed': failure('A listener ended with an error, and readiness is red', { listener: name }),
  'service-stop-failed': failure('A service could not be drained or stopped', { service: name }),
  'housekeeping-failed': failure('A housekeeping job failed; its next run does the work', { job: name }),
  'dead-letter-read-failed': failure('A record of dead-letters.v1 could not be decoded', { offset: number }),
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
