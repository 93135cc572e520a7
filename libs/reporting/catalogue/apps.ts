import { counts, event, failure, repeatedWarning, retried } from '../event.ts';
import { id, name, optional, word } from '../fact.ts';
import { counter } from '../metric.ts';

const consents = counter(
  'crier_app_consents_total',
  'Decisions of Members about an app. refused: the Workspace did not take the approval',
  ['outcome', 'registered'],
);
const tokensIssued = counter(
  'crier_app_tokens_issued_total',
  'Answers with an access token, by what it was given for',
  ['grant_type'],
);
const refusals = counter(
  'crier_oauth_refusals_total',
  'Requests that the authorization server refused, by the error of OAuth',
  ['endpoint', 'error'],
);
const registrations = counter('crier_app_registrations_total', 'Requests of apps to register themselves', ['outcome']);

export const APP_EVENTS = {
  'app-consent-given': event({
    level: 'info',
    help: 'A Member decided whether an app may act for them',
    facts: {
      outcome: word('approved', 'denied', 'refused'),
      registered: word('itself', 'document'),
      clientId: id,
      requestId: id,
      workspaceId: optional(id),
      approvalId: optional(id),
    },
    feeds: [counts(consents)],
  }),
  'app-tokens-issued': event({
    level: 'debug',
    help: 'The authorization server gave an app an access token',
    facts: {
      grantType: word('authorization_code', 'refresh_token'),
      clientId: id,
      approvalId: optional(id),
    },
    feeds: [counts(tokensIssued)],
  }),
  'oauth-refused': event({
    level: 'info',
    help: 'The authorization server refused a request, for a reason that OAuth has a word for',
    facts: {
      endpoint: word('authorize', 'token', 'register', 'revoke'),
      error: name,
      clientId: optional(id),
    },
    feeds: [counts(refusals)],
  }),
  'app-registered': event({
    level: 'info',
    help: 'An app registered itself, or was refused',
    facts: { outcome: word('registered', 'refused'), clientId: optional(id) },
    feeds: [counts(registrations)],
  }),
  'app-registration-flood': repeatedWarning({
    help: 'An app was not registered because its address had registered too many',
    facts: { client: id },
    feeds: [counts(registrations, { constants: { outcome: 'rate_limited' } })],
  }),
};

export const APP_FAILURES = {
  'oauth-failed': failure('A request to the authorization server ended with an unexpected error', {
    endpoint: optional(name),
    requestId: optional(id),
  }),
  'credential-use-not-noted': retried('The use of a credential was not noted; the next use is', { credentialId: id }),
  'oauth-client-not-renewed': retried('The life of a registered app was not extended; the next use tries again', {
    clientId: id,
  }),
};
