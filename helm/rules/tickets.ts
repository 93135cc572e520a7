import { alertsOf, type Alert } from './alert.ts';
import { either, grown, level, series } from './cases.ts';

const version = (name: string, pod: string, values: string) =>
  series('crier_build_info', `version="${name}", pod="${pod}"`, values);
const conversions = (state: string, count: number) =>
  series('crier_conversions', `kind="video", state="${state}"`, `${count}x200`);
const lateFiles = (upTo: string, values: string) =>
  series('crier_media_lateness_seconds_bucket', `le="${upTo}"`, values);
const answers = series('crier_command_wait_seconds_count', '', '0+100x200');
const found = (values: string) => series('crier_answers_found_by_looking_total', '', values);
const reconnects = (values: string) =>
  series('crier_channel_reconnect_changes_total', 'network="x", change="needed"', values);

/** A rollout of as many is two rebalances for each, and every member of the group counts all of them. */
const PODS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const rebalances = (values: string) => (pod: string) =>
  series('crier_rebalances_total', `group="workspace", pod="${pod}"`, values);

/** Somebody has to look within days. */
export const TICKETS: readonly Alert[] = alertsOf('ticket', [
  {
    name: 'CrierJobKeyHeldBack',
    expr: 'max by (namespace, consumer) (crier_parked_keys{consumer!="workspace"}) > 0',
    for: '5m',
    summary: 'A key of {{ $labels.consumer }} is held back: a record of it can not be handled',
    heading: 'A key is held back',
    ...level('crier_parked_keys', 'consumer="media"', '1x200', '0x200'),
  },
  {
    name: 'CrierDeadLetters',
    expr: 'sum by (namespace, topic) (increase(crier_dead_letters_total[1h])) > 0',
    for: '0m',
    summary: 'Records of {{ $labels.topic }} can not be read or carried out',
    heading: 'Dead letters appear',
    ...grown('crier_dead_letters_total', 'topic="workspace.commands.v1"'),
  },
  {
    name: 'CrierTimersRefused',
    expr: 'sum by (namespace) (increase(crier_timers_refused_total[1h])) > 0',
    for: '0m',
    summary: 'Timers were dropped: the log refuses their message for good',
    heading: 'Timers are refused',
    ...grown('crier_timers_refused_total', 'topic="timers.v1"'),
  },
  {
    name: 'CrierLostWorkFound',
    expr: 'sum by (namespace, work) (increase(crier_lost_work_found_total[1h])) > 0',
    for: '0m',
    summary:
      'What timers had fired for ({{ $labels.work }}) was not done a quarter of an hour later, and was set again',
    heading: 'Lost work is found',
    ...grown('crier_lost_work_found_total', 'work="due"'),
  },
  {
    name: 'CrierNetworkOutOfOrder',
    expr: 'max by (namespace, network) (crier_network_circuit_open) == 1',
    for: '15m',
    summary: '{{ $labels.network }} fails for a quarter of an hour: its attempts wait',
    heading: 'A Network is out of order',
    ...level('crier_network_circuit_open', 'network="x"', '1x200', '0 1 1 0x200'),
  },
  {
    name: 'CrierTurnsLost',
    expr: 'sum by (namespace) (rate(crier_turns_total{outcome="lost"}[10m])) > 0.1',
    for: '15m',
    summary: 'Workspaces have two owners again and again: {{ $value | humanize }} turns a second are lost',
    heading: 'Turns are lost',
    ...level('crier_turns_total', 'outcome="lost"', '0+60x200', '0 5x200'),
  },
  {
    name: 'CrierRebalances',
    // As one member counted them: a rollout, and its rollback, explain four for each process of the group.
    expr: 'max by (namespace, group) (increase(crier_rebalances_total[1h])) > 30 + 4 * count by (namespace, group) (crier_rebalances_total)',
    for: '30m',
    summary: 'The group {{ $labels.group }} rebalances again and again',
    heading: 'Groups rebalance again and again',
    ...either('2h', PODS.slice(0, 2).map(rebalances('0+3x200')), PODS.map(rebalances('0x60 0+2x8 16x132'))),
  },
  {
    name: 'CrierVariantsUnconfirmed',
    expr: 'sum by (namespace, network) (increase(crier_attempts_ended_total{outcome="unconfirmed"}[1h])) > 0',
    for: '0m',
    summary: 'Variants at {{ $labels.network }} ended without it being known whether they are live',
    heading: 'Variants end unconfirmed',
    ...grown('crier_attempts_ended_total', 'network="x", outcome="unconfirmed"'),
  },
  {
    name: 'CrierChannelsNeedReconnect',
    // More than five times as many as on average of the day: an app was switched off, or a permission taken.
    expr: 'sum by (namespace, network) (increase(crier_channel_reconnect_changes_total{change="needed"}[1h])) > 10 and sum by (namespace, network) (increase(crier_channel_reconnect_changes_total{change="needed"}[1h])) > 5 * sum by (namespace, network) (rate(crier_channel_reconnect_changes_total{change="needed"}[1d])) * 3600',
    for: '10m',
    summary: 'In an hour {{ $value | humanize }} Channels of {{ $labels.network }} lost their sign-in',
    heading: 'Channels need a reconnect',
    ...either('26h', [reconnects('0x1500 0+1x200')], [reconnects('0+1x1800')]),
  },
  {
    name: 'CrierWebhooksFail',
    expr: 'sum by (namespace) (crier_webhook_endpoints_failing) > 10',
    for: '15m',
    summary: '{{ $value }} endpoints of webhooks fail at once: it may be the way out, not they',
    heading: 'Webhooks fail for many endpoints',
    ...level('crier_webhook_endpoints_failing', '', '40x200', '3x200'),
  },
  {
    name: 'CrierWebhookNearItsEnd',
    expr: 'max by (namespace) (crier_webhook_oldest_pending_seconds) > 72000',
    for: '5m',
    summary: 'A delivery fails for {{ $value | humanizeDuration }}, and is given up after a day',
    heading: 'A webhook is close to being given up',
    ...level('crier_webhook_oldest_pending_seconds', '', '73000+60x200', '3600x200'),
  },
  {
    name: 'CrierFilesLate',
    expr: 'histogram_quantile(0.95, sum by (namespace, le) (rate(crier_media_lateness_seconds_bucket[30m]))) > 60',
    for: '15m',
    summary: 'Of files, 5 % are ready {{ $value | humanizeDuration }} after their Post is due, or later',
    heading: 'Files are ready too late',
    ...either(
      '2h',
      [lateFiles('60', '0+50x200'), lateFiles('300', '0+100x200'), lateFiles('+Inf', '0+100x200')],
      [lateFiles('60', '0+100x200'), lateFiles('+Inf', '0+100x200')],
    ),
  },
  {
    name: 'CrierConversionsWait',
    // More than two rounds of those that run: the queue grows, or what runs does not end.
    expr: 'sum by (namespace) (crier_conversions{state="waiting"}) > 2 * sum by (namespace) (crier_conversions{state="running"})',
    for: '15m',
    summary: '{{ $value }} conversions of files wait for their turn',
    heading: 'Files are ready too late',
    ...either(
      '2h',
      [conversions('waiting', 5), conversions('running', 1)],
      [conversions('waiting', 2), conversions('running', 1)],
    ),
  },
  {
    name: 'CrierConversionsFail',
    expr: 'sum by (namespace, kind) (increase(crier_rendition_duration_seconds_count{outcome="unable"}[1h])) > 0',
    for: '0m',
    summary: 'A machine can not convert a file ({{ $labels.kind }}): it lacks a tool, memory or disk',
    heading: 'Conversions fail',
    ...grown('crier_rendition_duration_seconds_count', 'kind="video", outcome="unable"'),
  },
  {
    name: 'CrierEventLoopSlow',
    expr: 'max by (namespace, pod) (nodejs_eventloop_lag_p99_seconds) > 0.2',
    for: '10m',
    summary: 'The event loop of {{ $labels.pod }} is late by {{ $value | humanizeDuration }}',
    heading: 'The event loop is slow',
    ...level('nodejs_eventloop_lag_p99_seconds', 'pod="a"', '0.4x200', '0.05x200'),
  },
  {
    name: 'CrierAnswersASecondLate',
    expr: 'sum by (namespace) (rate(crier_answers_found_by_looking_total[15m])) / sum by (namespace) (rate(crier_command_wait_seconds_count[15m])) > 0.01',
    for: '15m',
    summary: 'Hints do not arrive for {{ $value | humanizePercentage }} of answers: processes do not reach each other',
    heading: 'Answers come a second late',
    ...either('2h', [found('0+50x200'), answers], [found('0x50 1x200'), answers]),
  },
  {
    name: 'CrierTwoVersions',
    expr: 'count by (namespace) (count by (namespace, version) (crier_build_info)) > 1',
    for: '1h',
    summary: '{{ $value }} releases run beside each other for over an hour: a rollout stands still',
    heading: 'Two versions run for long',
    ...either(
      '3h',
      [version('1', 'a', '1x200'), version('2', 'b', '1x200')],
      [version('1', 'a', '1x200'), version('2', 'b', '1x20 _x200')],
    ),
  },
]);
