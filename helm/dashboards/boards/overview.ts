import { lines, number, stack, type Dashboard } from '../panel.ts';
import { ageOf, countOf, highestOf, increased, perSecond, quantile, quantiles, recorded, sumOf } from '../queries.ts';

const LATENESS = 'crier_variant_start_lateness_seconds';
const CANARY = 'crier_canary_last_success_timestamp_seconds';
const ENDED = 'crier_attempts_ended_total';
const BURN_WINDOWS = ['5m', '1h', '6h', '3d'];
const notReady = { expr: `${countOf('crier_ready').expr} - ${sumOf('crier_ready').expr}`, legend: 'processes' };
const kept = (name: string, legend: string) => {
  const { expr } = recorded(name, legend);
  return { expr: `1 - ${expr}`, legend };
};

/** What somebody looks at first: is it on time, what came of it, what waits. */
export const OVERVIEW: Dashboard = {
  name: 'overview',
  title: 'Crier: overview',
  description: 'Whether Posts go out on time, what came of them, and what waits. The other dashboards say why.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('On time', 'percentunit', [kept('crier:start_failures:ratio_rate1h', 'on time')], {
          description:
            'Of the scheduled Variants of the last hour, the part that began within 60 s of its instant. 99.9 % of a month are promised. Needs the recording rules of the chart.',
          heading: 'Posts start late',
          ...{ limit: 0.999, isFloor: true, most: 1 },
        }),
        number('Answered', 'percentunit', [kept('crier:answer_failures:ratio_rate1h', 'answered')], {
          description:
            'Of the requests of the API of the last hour, the part that was not answered with 5xx. 99.9 % of a month are promised. Needs the recording rules of the chart.',
          heading: 'Answers are 5xx',
          ...{ limit: 0.999, isFloor: true, most: 1 },
        }),
        number('Oldest overdue timer', 's', [highestOf('crier_timers_oldest_overdue_seconds', { legend: 'overdue' })], {
          description:
            'For how long the oldest timer that has not fired has been due. Above 0 for minutes: nothing due goes out.',
          heading: 'Timers are overdue',
          limit: 120,
        }),
        number('Keys held back', 'short', [sumOf('crier_parked_keys', { legend: 'keys' })], {
          description: 'Workspaces, Channels and Posts whose records wait because one of them can not be handled.',
          heading: 'A key is held back',
          limit: 1,
        }),
        number('Variants held', 'short', [sumOf('crier_variants_held', { legend: 'Variants' })], {
          description: 'Variants that are due and not sent, because an operator holds publishing. They are not late.',
          heading: 'Stop publishing now',
          limit: 1,
        }),
        number('Processes not ready', 'short', [notReady], {
          description: 'Processes that answer scrapes and whose /health/ready does not answer 200.',
          heading: 'When a process misbehaves',
          limit: 1,
        }),
      ],
    },
    {
      title: 'On time',
      panels: [
        lines('Lateness of scheduled Variants', 's', quantiles(LATENESS), {
          description:
            'From the instant a scheduled Variant was due to the first call to its Network: half, 95 % and 99 % of them began sooner.',
          heading: 'Posts start late',
          limit: 60,
        }),
        lines(
          'Late starts, of all',
          'percentunit',
          BURN_WINDOWS.map((window) => recorded(`crier:start_failures:ratio_rate${window}`, window)),
          {
            description:
              'The part of scheduled Variants that began more than 60 s late, over four windows. A month may have 0.1 %; alerts compare a short and a long window with multiples of it.',
            heading: 'Posts start late',
          },
        ),
        lines(
          'Failed answers, of all',
          'percentunit',
          BURN_WINDOWS.map((window) => recorded(`crier:answer_failures:ratio_rate${window}`, window)),
          {
            description:
              'The part of requests of the API that were answered with 5xx, over four windows. A month may have 0.1 %.',
            heading: 'Answers are 5xx',
          },
        ),
      ],
    },
    {
      title: 'Outcomes',
      panels: [
        stack('Variants that ended', 'ops', [perSecond(ENDED, { by: ['outcome'] })], {
          description: 'Attempts at Variants that came to an end, a second, by what came of them.',
          heading: 'Nothing is published',
        }),
        stack('Why Variants failed', 'ops', [perSecond(ENDED, { by: ['reason'], where: ['outcome!="published"'] })], {
          description:
            'Reasons of Variants that were not published. needs_reconnect, rejected_by_platform and media_problem are for Members; missed_window and platform_problem are for you.',
        }),
        lines('From due to the end', 's', [quantile(0.95, 'crier_attempt_since_due_seconds', { by: ['outcome'] })], {
          description:
            'How long after its instant a Variant was done, in 95 of 100 cases. Long with a small lateness of starts: the Network, or the work on a video.',
        }),
        stack(
          'First comments that ended',
          'ops',
          [perSecond('crier_first_comments_ended_total', { by: ['outcome'] })],
          {
            description: 'Comments that Crier wrote below its own Posts, by what came of them.',
          },
        ),
        lines(
          'Variants unconfirmed',
          'short',
          [increased(ENDED, { by: ['network'], where: ['outcome="unconfirmed"'] })],
          {
            description:
              'Variants of which nobody can tell whether they are live. A person has to look at the account.',
            heading: 'Variants end unconfirmed',
          },
        ),
        lines('Attempts under way', 'short', [sumOf('crier_publish_in_flight', { by: ['network'] })], {
          description:
            'Variants and comments that publishers work on now. Standing above 0 while nothing ends: publishers are stuck.',
          heading: 'Nothing is published',
        }),
      ],
    },
    {
      title: 'Backlog',
      panels: [
        lines(
          'Timers',
          'short',
          [
            sumOf('crier_timers_due_next', { legend: 'due in 30 s' }),
            sumOf('crier_timers_overdue', { legend: 'overdue' }),
          ],
          {
            description:
              'Timers that come due within half a minute, and those whose instant is past and that have not fired.',
            heading: 'Timers are overdue',
          },
        ),
        lines('Behind the log', 's', [highestOf('crier_log_behind_seconds', { by: ['consumer'] })], {
          description:
            'Age of the oldest record that a consumer took and has not done. Growing: it has too much to do, or waits for an engine.',
          heading: 'Posts start late',
        }),
        lines(
          'Waiting',
          'short',
          [
            sumOf('crier_records_waiting', { legend: 'records' }),
            sumOf('crier_webhook_deliveries_queued', { legend: 'webhook deliveries' }),
            sumOf('crier_conversions', { where: ['state="waiting"'], legend: 'conversions' }),
          ],
          {
            description: 'Work that processes have taken and not begun.',
          },
        ),
      ],
    },
    {
      title: 'Canary',
      panels: [
        lines('How late its Posts are', 's', [quantile(0.95, 'crier_canary_stage_seconds', { by: ['stage'] })], {
          description:
            'Posts that the installation sends itself, by the stage that they reached. Empty without CRIER_CANARY.',
        }),
        lines('Since its last success', 's', [ageOf(CANARY, { by: ['stage'], where: ['stage!="held"'] })], {
          description: 'For how long no Post of the canary has reached a stage.',
          heading: 'The canary is stale',
          limit: 300,
        }),
        lines(
          'Posts that did not come through',
          'short',
          [increased('crier_canary_failures_total', { by: ['stage'] })],
          {
            description: 'Posts of the canary that did not reach a stage within two minutes.',
            heading: 'The canary is stale',
          },
        ),
      ],
    },
  ],
};
