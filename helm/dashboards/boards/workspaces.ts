import { lines, stack, type Dashboard } from '../panel.ts';
import { highestOf, increased, meanOf, perSecond, quantiles, shareOf, sumOf } from '../queries.ts';

const FOUND = 'crier_answers_found_by_looking_total';
const WAIT = 'crier_command_wait_seconds';
const secondLate = { expr: `${perSecond(FOUND).expr} / (${perSecond(WAIT).expr} > 0)`, legend: 'a second late' };

/** The actor of a Workspace: turns, answers, who owns what, timers, and records that can not be handled. */
export const WORKSPACES: Dashboard = {
  name: 'workspaces',
  title: 'Crier: Workspaces and timers',
  description: 'Turns of Workspaces, answers to who waits for them, owners of partitions and shards, and timers.',
  rows: [
    {
      title: 'Turns',
      panels: [
        stack('Turns', 'ops', [perSecond('crier_turns_total', { by: ['outcome'] })], {
          description:
            'Turns a second. Lost ones were taken beside another owner and changed nothing: normal for seconds after a rebalance.',
          heading: 'Turns are lost',
        }),
        lines(
          'Turns lost, of all',
          'percentunit',
          [shareOf('crier_turns_total', ['outcome="lost"'], { legend: 'lost' })],
          {
            description:
              'The part of turns that another owner overtook. If it stays above 0, Workspaces have two owners.',
            heading: 'Turns are lost',
          },
        ),
        lines('Commands of a turn', 'short', [meanOf('crier_turn_commands')], {
          description:
            'How many commands a turn carried out on average. More than one: commands of a Workspace come faster than turns end.',
        }),
        lines('Duration of a turn', 's', quantiles('crier_turn_duration_seconds'), {
          description: 'Reading, deciding, writing and sending. Long turns are mostly slow tables.',
          width: 12,
        }),
        lines('Wait of a command', 's', quantiles(WAIT), {
          description:
            'From when a command was sent to the beginning of its turn. A long wait with short turns: a busy Workspace, or an owner behind the log.',
          width: 12,
        }),
      ],
    },
    {
      title: 'Answers',
      panels: [
        lines('Answers awaited', 'short', [sumOf('crier_answers_awaited', { legend: 'awaited' })], {
          description: 'Commands whose answer a request waits for now.',
        }),
        lines('Answers a second late', 'percentunit', [secondLate], {
          description:
            'The part of commands whose answer was found by looking, since its hint did not come: processes do not reach each other.',
          ...{ heading: 'Answers come a second late', limit: 0.01 },
        }),
        lines(
          'Hints that did not arrive',
          'short',
          [
            increased('crier_answer_hints_lost_total', { legend: 'lost' }),
            increased('crier_answer_hints_refused_total', { legend: 'refused' }),
          ],
          {
            description:
              'Lost: the process that waits could not be reached. Refused: a command named an address at which no process of this installation listens.',
            heading: 'Answers come a second late',
          },
        ),
      ],
    },
    {
      title: 'Owners',
      panels: [
        lines('Partitions with an owner', 'short', [sumOf('crier_partitions_owned', { by: ['consumer'] })], {
          description:
            'Partitions that processes own, by consumer. Below the number of partitions of the topic, some stand still.',
          heading: 'Partitions are owned by nobody',
        }),
        lines(
          'Shards of the scheduler',
          'short',
          [
            increased('crier_shards_claimed_total', { legend: 'claimed' }),
            increased('crier_shards_overtaken_total', { legend: 'overtaken' }),
            increased('crier_scheduler_clock_steps_back_total', { legend: 'clock set back' }),
          ],
          {
            description:
              'Shards that changed their owner, owners that went on after that, and clocks that were set back by more than three minutes.',
            heading: 'A clock is wrong',
          },
        ),
        lines('Owners that vanished', 'short', [increased('crier_owners_vanished_total', { by: ['group'] })], {
          description:
            'Partitions whose owner ended without releasing them: it crashed, was killed, or lost touch with the log.',
          heading: 'When a process misbehaves',
        }),
      ],
    },
    {
      title: 'Timers',
      panels: [
        lines('Timers fired', 'ops', [perSecond('crier_timers_fired_total', { legend: 'fired' })], {
          description:
            'Timers whose message was appended to the log, a second. Full minutes stand out: people schedule for them.',
        }),
        lines('Lateness of timers', 's', quantiles('crier_timer_lateness_seconds'), {
          description: 'From the instant of a timer to when its message was in the log.',
          heading: 'Timers are overdue',
        }),
        lines(
          'Timers in memory',
          'short',
          [
            sumOf('crier_timers_queued', { legend: 'queued' }),
            sumOf('crier_timers_due_next', { legend: 'due in 30 s' }),
            sumOf('crier_timers_overdue', { legend: 'overdue' }),
          ],
          {
            description: 'Timers that processes hold in memory. Later ones stand in the tables.',
          },
        ),
        lines('Oldest overdue timer', 's', [highestOf('crier_timers_oldest_overdue_seconds', { by: ['pod'] })], {
          description: 'With an age and no overdue timers, minutes of timers can not be read: the tables are away.',
          ...{ heading: 'Timers are overdue', limit: 120, width: 12 },
        }),
        lines('Timers refused', 'short', [increased('crier_timers_refused_total', { by: ['topic'] })], {
          description: 'Timers that were dropped, because the log refuses their message for good.',
          ...{ heading: 'Timers are refused', width: 12 },
        }),
      ],
    },
    {
      title: 'Records that can not be handled',
      panels: [
        lines('Keys held back', 'short', [sumOf('crier_parked_keys', { by: ['consumer'] })], {
          description: 'Keys that are parked now. Of consumer workspace, a Workspace stands still.',
          ...{ heading: 'A key is held back', limit: 1 },
        }),
        lines(
          'Parked, unparked, skipped',
          'short',
          [
            increased('crier_keys_parked_total', { by: ['topic', 'cause'], legend: '{{topic}} parked: {{cause}}' }),
            increased('crier_keys_unparked_total', { by: ['topic'], legend: '{{topic}} unparked' }),
            increased('crier_records_skipped_total', { by: ['topic'], legend: '{{topic}} skipped' }),
          ],
          {
            description:
              'Keys that were parked, with the cause; keys whose records are all handled; and records that an operator left out.',
            heading: 'A key is held back',
          },
        ),
        lines('Dead letters', 'short', [increased('crier_dead_letters_total', { by: ['topic'] })], {
          description: 'Records that can not be read or carried out, by the topic that they were in.',
          heading: 'Dead letters appear',
        }),
        lines('Lost work found', 'short', [increased('crier_lost_work_found_total', { by: ['work'] })], {
          description:
            'Variants and first comments that still waited long after their timer had fired, and were set again.',
          heading: 'Lost work is found',
        }),
      ],
    },
  ],
};
