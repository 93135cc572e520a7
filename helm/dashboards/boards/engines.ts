import { lines, stack, type Dashboard } from '../panel.ts';
import { ageOf, countOf, highestOf, increased, perSecond, quantile, quantiles, shareOf, sumOf } from '../queries.ts';

const STORE = 'crier_store_request_duration_seconds';
const BROKEN = 'outcome=~"unavailable|unknown"';

/** Tables and log as Crier sees them, and its own processes. */
export const ENGINES: Dashboard = {
  name: 'engines',
  title: 'Crier: engines and processes',
  description:
    'How tables and log answer, and how the processes of Crier are. The engines have dashboards of their own makers.',
  rows: [
    {
      title: 'Tables',
      panels: [
        stack('Requests', 'ops', [perSecond(STORE, { by: ['operation'] })], {
          description: 'Requests to the tables, a second, by kind.',
        }),
        lines('Requests without an answer', 'percentunit', [shareOf(STORE, [BROKEN], { legend: 'of all' })], {
          description:
            'unavailable was not done, unknown may have been. Work goes on by itself when the tables are back.',
          ...{ heading: 'When an engine is unavailable', limit: 0.5, most: 1 },
        }),
        lines('Failed requests', 'ops', [perSecond(STORE, { by: ['outcome'], where: ['outcome!="ok"'] })], {
          description: 'Requests that the tables did not do, by how they failed.',
          heading: 'When an engine is unavailable',
        }),
        lines('Duration', 's', quantiles(STORE), {
          description: 'How long requests to the tables took: half, 95 % and 99 % of them were quicker.',
        }),
        lines('Duration by kind', 's', [quantile(0.95, STORE, { by: ['operation'] })], {
          description:
            'How long requests took, in 95 of 100 cases. A compare-and-set costs several round trips between replicas.',
        }),
        lines('On their way', 'short', [highestOf('crier_store_requests_in_flight', { by: ['pod'] })], {
          description:
            'Requests that are not answered yet. In a cluster 64 of a process are on their way at most; more wait here.',
          limit: 64,
        }),
      ],
    },
    {
      title: 'Log',
      panels: [
        lines('Behind the log, records', 'short', [sumOf('crier_log_behind_records', { by: ['consumer'] })], {
          description: 'Records that are not done, as far as processes know the ends of their partitions.',
          heading: 'Posts start late',
        }),
        lines('Behind the log, seconds', 's', [highestOf('crier_log_behind_seconds', { by: ['consumer'] })], {
          description: 'Age of the oldest record that was taken and is not done.',
          heading: 'Posts start late',
        }),
        lines('Records waiting', 'short', [sumOf('crier_records_waiting', { by: ['consumer'] })], {
          description:
            'Records that were taken from the log and not handled yet. Few of them and far behind: fetching is slow.',
        }),
        lines('Backpressure', 'short', [increased('crier_mailbox_full_total', { by: ['topic'] })], {
          description: 'Times that a partition was paused because too many of its records waited.',
        }),
        lines('Rebalances', 'short', [increased('crier_rebalances_total', { by: ['group'] })], {
          description:
            'Rebalances of consumer groups, counted by each member. A rollout explains two for each process, in each member.',
          heading: 'Groups rebalance again and again',
        }),
        lines('Partitions with an owner', 'short', [sumOf('crier_partitions_owned', { by: ['consumer'] })], {
          description: 'Partitions that processes own, by consumer.',
          heading: 'Partitions are owned by nobody',
        }),
      ],
    },
    {
      title: 'Processes',
      panels: [
        lines('Releases', 'short', [countOf('crier_build_info', { by: ['version', 'engine', 'node'] })], {
          description:
            'Processes by release, engine and version of Node. Two releases for long: a rollout stands still.',
          heading: 'Two versions run for long',
        }),
        lines('By role', 'short', [sumOf('crier_roles', { by: ['role'] })], {
          description:
            'Processes that have each role. One that ends, and does not come back: its last process is gone.',
          heading: 'No process answers clients',
        }),
        lines('Ready', 'short', [sumOf('crier_ready', { by: ['pod'] })], {
          description: '1 where /health/ready answers 200.',
          ...{ heading: 'When a process misbehaves', most: 1 },
        }),
        lines('Checks that fail', 'short', [sumOf('crier_check_failed', { by: ['check'] })], {
          description: 'Processes whose tables, log, clock or CRIER_SECRET /health/ready names as a trouble.',
          ...{ heading: 'When a process misbehaves', limit: 1 },
        }),
        lines('Clock, against that of Prometheus', 's', [ageOf('crier_clock_timestamp_seconds', { by: ['pod'] })], {
          description:
            'By how much the clock of a machine is behind that of Prometheus, and by the time since the last scrape. Far from it: what is due there goes out late, or is refused.',
          heading: 'A clock is wrong',
        }),
        lines('Since the start', 's', [ageOf('process_start_time_seconds', { by: ['pod'] })], {
          description: 'For how long a process runs. Back at 0 without a rollout: it crashed or was killed.',
          heading: 'No process runs',
        }),
        lines('Event loop', 's', [highestOf('nodejs_eventloop_lag_p99_seconds', { by: ['pod'] })], {
          description:
            'By how much the event loop is late, of 100 turns the worst. A process that is late here is late everywhere.',
          ...{ heading: 'The event loop is slow', limit: 0.2 },
        }),
        lines(
          'Blocked by one piece of work',
          's',
          [quantile(0.95, 'crier_event_loop_blocked_seconds', { by: ['work'] })],
          {
            description:
              'How long one route or job kept the event loop, where it was noticed. The line `event-loop-blocked` has its stack.',
            heading: 'The event loop is slow',
          },
        ),
        lines('Processor time', 'short', [perSecond('process_cpu_seconds_total', { by: ['pod'] })], {
          description: 'Cores that a process uses, without the tools that convert files.',
        }),
        lines('Garbage collection', 'percentunit', [garbage()], {
          description: 'The part of time that a process spends on garbage collection.',
        }),
        lines('Memory', 'bytes', [sumOf('process_resident_memory_bytes', { by: ['pod'] })], {
          description: 'Memory of a process, without the tools that convert files.',
        }),
        lines('Heap in use', 'bytes', [sumOf('nodejs_heap_size_used_bytes', { by: ['pod'] })], {
          description: 'Growing for days: a leak, of which we want to hear.',
          heading: 'Send us a support bundle',
        }),
        lines(
          'Tables and formats',
          'short',
          [
            highestOf('crier_schema_version', { legend: 'schema version' }),
            highestOf('crier_data_format', { by: ['kind'], legend: 'format: {{kind}}' }),
          ],
          {
            description:
              'The version of tables and topics, the format of rows that processes know, and that which they write. They differ during an upgrade.',
            heading: 'Releases',
          },
        ),
      ],
    },
    {
      title: 'What processes say',
      panels: [
        lines('Failures', 'short', [increased('crier_failures_total', { by: ['event'] })], {
          description:
            'Errors by event of the log. Those that end in retried or step-failed go on by themselves once an engine is back.',
          heading: 'Tokens can not be unsealed',
        }),
        lines('Lines of the log', 'ops', [perSecond('crier_log_lines_total', { by: ['level'] })], {
          description: 'Lines that processes write to their logs a second, by level.',
          heading: 'See more of one process',
        }),
        lines('Spans of traces', 'ops', [perSecond('crier_trace_spans_total', { by: ['outcome'] })], {
          description: 'dropped: the collector did not take them, or too many waited for it. Nothing else suffers.',
        }),
      ],
    },
  ],
};

function garbage() {
  const { expr, legend } = perSecond('nodejs_gc_duration_seconds', { by: ['pod'] });
  return { expr: expr.replace('nodejs_gc_duration_seconds_count', 'nodejs_gc_duration_seconds_sum'), legend };
}
