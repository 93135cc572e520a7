import { counts, event, failure, repeatedWarning, retried } from '../event.ts';
import { id, optional, word } from '../fact.ts';
import { counter } from '../metric.ts';

const signIns = counter('crier_sign_ins_total', 'Forms of sign-in links that were sent, by what came of them', [
  'outcome',
]);
const links = counter(
  'crier_sign_in_links_total',
  'Links that people asked for or were invited by. mailed: the mail server took it; limited: too many were asked for; ' +
    'failed: it could not be mailed',
  ['purpose', 'outcome'],
);
const sessionsEnded = counter('crier_sessions_ended_total', 'Sessions of browsers that were ended, by cause', [
  'cause',
]);
const formsRefused = counter(
  'crier_forms_refused_total',
  'Forms that no page of Crier made for the browser that sent them',
);

export const PEOPLE_EVENTS = {
  'sign-in-ended': event({
    level: 'info',
    help: 'Somebody sent the form of a sign-in link',
    facts: {
      outcome: word('signed-in', 'used', 'expired', 'unknown', 'refused'),
      accountId: optional(id),
    },
    feeds: [counts(signIns)],
  }),
  'link-mailed': event({
    level: 'info',
    help: 'A link to sign in was mailed, or that an endpoint was disabled',
    facts: { purpose: word('sign-in', 'invitation', 'endpoint'), accountId: id },
    feeds: [counts(links, { constants: { outcome: 'mailed' } })],
  }),
  'link-refused': repeatedWarning({
    help: 'No link was mailed, because too many were asked for by this account or from this address',
    facts: { purpose: word('sign-in'), accountId: optional(id), client: optional(id) },
    feeds: [counts(links, { constants: { outcome: 'limited' } })],
  }),
  'link-not-mailed': repeatedWarning({
    help: 'A link could not be mailed: the mail server refused it, or could not be reached several times',
    facts: {
      purpose: word('sign-in', 'invitation', 'endpoint'),
      accountId: id,
      kind: word('refused', 'unavailable', 'unknown'),
    },
    feeds: [counts(links, { constants: { outcome: 'failed' } })],
  }),
  'session-ended': event({
    level: 'info',
    help: 'A session of a browser was ended',
    facts: { cause: word('sign-out', 'list', 'replaced', 'too-many'), accountId: id },
    feeds: [counts(sessionsEnded)],
  }),
  'form-refused': repeatedWarning({
    help: 'A form was refused, because no page of Crier made it for the browser that sent it',
    feeds: [counts(formsRefused)],
  }),
};

export const PEOPLE_FAILURES = {
  'people-page-failed': failure('A page for people ended with an unexpected error'),
  'mail-failed': retried(
    'A link could not be made, or its mail not be handed to the mail server, which is tried three times',
  ),
  'change-feed-failed': retried(
    'What changed in a Workspace could not be read for the pages that are open; reported once until it can be',
    { workspaceId: id },
  ),
  'page-access-unchecked': failure('Whether open pages may still be told anything could not be looked at', {
    accountId: id,
  }),
  'change-listener-failed': failure('A page that is open could not be told what changed', { workspaceId: id }),
  'session-not-noted': retried('When a session was last seen could not be noted', { accountId: id }),
};
