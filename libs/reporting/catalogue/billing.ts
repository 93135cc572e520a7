import { counts, event, failure, repeatedWarning, retried } from '../event.ts';
import { id, optional, word } from '../fact.ts';
import { counter } from '../metric.ts';

const notices = counter(
  'crier_payment_notices_total',
  'Notices of the payment service. settled: done, or nothing hung on it; forged: not signed by the service',
  ['outcome'],
);

export const BILLING_EVENTS = {
  'payment-notice-settled': event({
    level: 'info',
    help: 'What a notice of the payment service is about was read there, and the Workspace is as that asks',
    facts: { noticeId: id, about: word('checkout', 'subscription', 'other') },
    feeds: [counts(notices, { constants: { outcome: 'settled' } })],
  }),
  'payment-notice-forged': repeatedWarning({
    help: 'A notice was refused: it was not signed with CRIER_STRIPE_WEBHOOK_SECRET, or too long ago',
    facts: { client: optional(id) },
    feeds: [counts(notices, { constants: { outcome: 'forged' } })],
  }),
  'payment-not-sold': event({
    level: 'error',
    help: 'Somebody paid a price that CRIER_STRIPE_PRICES does not name: nothing was given for it. Refund it, or name the price and have the notice sent again',
    facts: { workspaceId: id, paymentId: id },
  }),
};

export const BILLING_FAILURES = {
  'payment-notice-failed': retried(
    'What a notice of the payment service asks for could not be done; the service sends it again',
    { noticeId: id },
  ),
  'payment-return-failed': failure(
    'What somebody paid could not be read when they came back from paying; the notice of it does it',
  ),
};
