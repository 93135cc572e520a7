import { lines, stack, type Dashboard } from '../panel.ts';
import { highestOf, increased, perSecond, quantile, shareOf, sumOf } from '../queries.ts';

const NETWORK = 'network=~"$network"';
const ENDED = 'crier_attempts_ended_total';
const REQUEST = 'crier_network_request_duration_seconds';
const WAIT = 'crier_network_wait_seconds';
const chosen = { where: [NETWORK] };
const byNetwork = { ...chosen, by: ['network'] };

/** Publishers, each Network for itself. */
export const PUBLISHERS: Dashboard = {
  name: 'publishers',
  title: 'Crier: publishers by Network',
  description: 'Attempts at Variants, what the Networks answer, what is waited for, and the Channels.',
  hasNetworks: true,
  rows: [
    {
      title: 'Attempts',
      panels: [
        stack('Attempts that ended', 'ops', [perSecond(ENDED, byNetwork)], {
          description: 'Attempts at Variants that came to an end, a second, by Network.',
          heading: 'Nothing is published',
        }),
        lines('Published, of all', 'percentunit', [shareOf(ENDED, ['outcome="published"'], byNetwork)], {
          description:
            'The part of attempts after which the Variant is live. One Network lower than the others: that Network, or our app there.',
          most: 1,
        }),
        stack(
          'Why attempts failed',
          'ops',
          [perSecond(ENDED, { by: ['reason'], where: [NETWORK, 'outcome!="published"'] })],
          {
            description: 'Reasons of attempts after which the Variant is not live, or nobody can tell.',
          },
        ),
        lines('Attempts under way', 'short', [sumOf('crier_publish_in_flight', byNetwork)], {
          description: 'Variants and comments that publishers work on now.',
        }),
        lines('Watchdogs', 'short', [increased('crier_attempt_watchdogs_fired_total', byNetwork)], {
          description:
            'Attempts that are run again because their end was not reported: a publisher died, or its job was lost.',
        }),
        lines('Placements', 'ops', [perSecond(ENDED, { ...chosen, by: ['placement', 'outcome'] })], {
          description: 'Attempts by where on the Network they went, feed or story, and what came of them.',
        }),
      ],
    },
    {
      title: 'Time',
      panels: [
        lines('Lateness of the start', 's', [quantile(0.95, 'crier_variant_start_lateness_seconds', byNetwork)], {
          description:
            'From the instant a scheduled Variant was due to the first call to its Network, in 95 of 100 cases.',
          ...{ heading: 'Posts start late', limit: 60 },
        }),
        lines('Duration of an attempt', 's', [quantile(0.95, 'crier_publish_duration_seconds', byNetwork)], {
          description:
            'From the first call to the verdict, with what was waited for. Long with quick requests: waits, or the work of the Network on a video.',
        }),
        lines(
          'From due to published',
          's',
          [
            quantile(0.95, 'crier_attempt_since_due_seconds', {
              by: ['network'],
              where: [NETWORK, 'outcome="published"'],
            }),
          ],
          {
            description: 'What a Member sees: from the instant of a Variant to when it is live.',
          },
        ),
      ],
    },
    {
      title: 'The Networks',
      panels: [
        stack('Answers by class', 'ops', [perSecond(REQUEST, { ...chosen, by: ['status_class'] })], {
          description: 'Requests to Networks, a second, by class of the status. none: no answer came.',
          heading: 'A Network is out of order',
        }),
        lines('Failed requests, of all', 'percentunit', [shareOf(REQUEST, ['status_class=~"5xx|none"'], byNetwork)], {
          description: 'The part of requests that got a 5xx or no answer.',
          ...{ heading: 'A Network is out of order', most: 1 },
        }),
        lines('Duration of requests', 's', [quantile(0.95, REQUEST, byNetwork)], {
          description: 'Duration of single requests, in 95 of 100 cases.',
        }),
        lines('Duration by step', 's', [quantile(0.95, REQUEST, { ...chosen, by: ['operation'] })], {
          description:
            'prepare uploads files and makes drafts, publish is the one call that can not be taken back, reconcile asks what became of it.',
        }),
        lines('Circuit breakers open', 'short', [highestOf('crier_network_circuit_open', byNetwork)], {
          description: '1: a process makes no attempts at the Network but one probe at a time.',
          ...{ heading: 'A Network is out of order', most: 1 },
        }),
        lines(
          'Circuit breakers, changes',
          'short',
          [increased('crier_network_circuit_transitions_total', { ...chosen, by: ['network', 'state'] })],
          {
            description: 'Times that a circuit breaker opened after eight failures in a row, and closed after a probe.',
            heading: 'A Network is out of order',
          },
        ),
      ],
    },
    {
      title: 'Waits and holds',
      panels: [
        stack('Attempts held back', 'ops', [perSecond(WAIT, { ...chosen, by: ['why'] })], {
          description:
            'Attempts that have to wait, by reason: the quota is used up, the circuit is open, the Network asked for it, or enough Channels are worked on.',
        }),
        lines('How long they wait', 's', [quantile(0.95, WAIT, { ...chosen, by: ['why'] })], {
          description: 'The wait of attempts that were held back, in 95 of 100 cases, by reason.',
        }),
        lines(
          'Holds',
          'short',
          [
            // Each process shows all of them.
            highestOf('crier_publishing_held', { by: ['scope'], legend: 'hold: {{scope}}' }),
            sumOf('crier_variants_held', { legend: 'Variants held' }),
          ],
          {
            description: 'Holds by what they are on, and Variants that they keep back.',
            heading: 'Stop publishing now',
          },
        ),
      ],
    },
    {
      title: 'Channels',
      panels: [
        lines('Channels that need a reconnect', 'short', [sumOf('crier_channels_needing_reconnect', byNetwork)], {
          description: 'Channels whose sign-in is dead. Their owners connect them again.',
          heading: 'Channels need a reconnect',
        }),
        lines(
          'Reconnects needed and settled',
          'short',
          [increased('crier_channel_reconnect_changes_total', { ...chosen, by: ['network', 'change'] })],
          {
            description: 'Many needed at once, of one Network: our app was suspended there, or its secret was changed.',
            heading: 'Channels need a reconnect',
          },
        ),
        lines(
          'Refreshes of tokens',
          'ops',
          [perSecond('crier_connection_refreshes_total', { ...chosen, by: ['outcome'] })],
          {
            description: 'Refreshes of the tokens of Channels. refused: the Channel has to be connected again.',
            heading: 'Channels need a reconnect',
          },
        ),
        lines('Upkeep', 'ops', [perSecond('crier_connection_upkeeps_total', { ...chosen, by: ['outcome'] })], {
          description: 'Channels that are seldom used are looked after, so that their tokens stay valid.',
        }),
        lines('Figures', 'ops', [perSecond('crier_insights_readings_total', { ...chosen, by: ['outcome'] })], {
          description: 'Readings of the figures of published Variants. gone: the item was deleted at the Network.',
        }),
        lines(
          'Ends of access',
          'short',
          [
            increased('crier_connection_ends_total', { ...chosen, by: ['outcome'], legend: 'token: {{outcome}}' }),
            increased('crier_person_requests_total', { ...chosen, by: ['request'], legend: 'person: {{request}}' }),
          ],
          {
            description:
              'Tokens of disconnected Channels that were ended at their Network, and requests of people that Networks passed on.',
            heading: "When an app's access has to end",
          },
        ),
      ],
    },
  ],
};
