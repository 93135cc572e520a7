import { lines, stack, type Dashboard } from '../panel.ts';
import { highestOf, increased, perSecond, quantile, shareOf, sumOf } from '../queries.ts';

const ATTEMPTS = 'crier_webhook_attempts_total';

/** Events on their way to the endpoints of customers. */
export const WEBHOOKS: Dashboard = {
  name: 'webhooks',
  title: 'Crier: webhooks',
  description: 'Attempts at endpoints, what is pending, and how old deliveries are when they end.',
  rows: [
    {
      title: 'Attempts',
      panels: [
        stack('Attempts', 'ops', [perSecond(ATTEMPTS, { by: ['outcome'] })], {
          description:
            'Attempts at delivering an event, a second. Refused and timed out are mostly a matter of the endpoint; unreachable and unsafe of all at once are ours.',
          heading: 'Webhooks fail for many endpoints',
        }),
        lines('Failed, of all', 'percentunit', [shareOf(ATTEMPTS, ['outcome!="succeeded"'], { legend: 'failed' })], {
          description:
            'The part of attempts that did not succeed. One busy endpoint that is down is enough to raise it.',
          ...{ heading: 'Webhooks fail for many endpoints', most: 1 },
        }),
        lines(
          'Duration of an attempt',
          's',
          [quantile(0.95, 'crier_webhook_attempt_duration_seconds', { by: ['outcome'] })],
          {
            description: 'With the look-up of the name, in 95 of 100 cases. An attempt is given up after ten seconds.',
          },
        ),
        lines(
          'Lateness of attempts',
          's',
          [quantile(0.95, 'crier_webhook_attempt_lateness_seconds', { by: ['try'] })],
          {
            description:
              'From when an attempt was due to its start. first: from when the event happened; retry: a slow endpoint is late for itself only.',
            width: 12,
          },
        ),
        lines('Attempts under way', 'short', [sumOf('crier_webhook_attempts_in_flight', { by: ['pod'] })], {
          description:
            'Attempts that run now. Near 512 in a process, another process with the role webhooks takes half of the endpoints.',
          ...{ width: 12, limit: 512 },
        }),
      ],
    },
    {
      title: 'Pending',
      panels: [
        lines('Endpoints that fail', 'short', [sumOf('crier_webhook_endpoints_failing', { legend: 'endpoints' })], {
          description:
            'Endpoints of which at least the last three attempts failed. Together they get at most half of the attempts.',
          ...{ heading: 'Webhooks fail for many endpoints', limit: 10 },
        }),
        lines('Queued', 'short', [sumOf('crier_webhook_deliveries_queued', { legend: 'queued' })], {
          description: 'Deliveries that wait in the fair queue for their attempt.',
        }),
        lines('Deferred', 'short', [increased('crier_webhook_deliveries_deferred_total', { legend: 'deferred' })], {
          description:
            'Deliveries that were set back into a timer, because the fair queue holds enough of their endpoint.',
        }),
        lines('Disabled', 'short', [increased('crier_webhook_endpoints_disabled_total', { legend: 'disabled' })], {
          description: 'Endpoints that were disabled, because every attempt had failed for five days.',
        }),
      ],
    },
    {
      title: 'Deliveries',
      panels: [
        stack(
          'Deliveries that ended',
          'ops',
          [perSecond('crier_webhook_deliveries_ended_total', { by: ['outcome'] })],
          {
            description:
              'given_up: no attempt succeeded within a day; stopped: the endpoint was removed; never_tried: the day ended before an attempt.',
          },
        ),
        lines('Age at the end', 's', [quantile(0.95, 'crier_webhook_delivery_age_seconds', { by: ['outcome'] })], {
          description: 'From when an event happened to the end of its delivery, in 95 of 100 cases.',
        }),
        lines(
          'Oldest that failed and is tried again',
          's',
          [highestOf('crier_webhook_oldest_pending_seconds', { legend: 'oldest' })],
          {
            description: 'A delivery is given up after 86,400 s.',
            ...{ heading: 'A webhook is close to being given up', limit: 72_000 },
          },
        ),
      ],
    },
  ],
};
