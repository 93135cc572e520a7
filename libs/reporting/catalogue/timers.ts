import { counts, event, observes, repeatedWarning, retried } from '../event.ts';
import { durations, id, ids, milliseconds, name, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram, LATENESS_SECONDS } from '../metric.ts';

const fired = counter('crier_timers_fired_total', 'Timers whose message was appended');
const lateness = histogram(
  'crier_timer_lateness_seconds',
  'Lateness of each timer: from its instant to when its message was in the log',
  LATENESS_SECONDS,
);
const claimed = counter('crier_shards_claimed_total', 'Scheduler shards that this process claimed');
const refused = counter(
  'crier_timers_refused_total',
  'Timers that were dropped because the log refuses their message for good',
  ['topic'],
);
const overtaken = counter(
  'crier_shards_overtaken_total',
  'Scheduler shards whose watermark this process could not move because another one had claimed the shard',
);
const stepsBack = counter(
  'crier_scheduler_clock_steps_back_total',
  "Times a scheduler's clock was set back by more than 3 minutes, after which its minutes were read again",
);

const lostWork = counter(
  'crier_lost_work_found_total',
  'Variants and first comments that still waited a quarter of an hour after their timer had fired, and whose timer was set again: its message was lost, or waits in the log',
  ['work'],
);

export const TIMER_EVENTS = {
  'timers-fired': event({
    level: 'debug',
    help: 'A batch of timers fired',
    facts: { count: number, latenessesMs: durations, maxLatenessMs: milliseconds, postIds: ids, deliveryIds: ids },
    feeds: [counts(fired, { value: 'count' }), observes(lateness, 'latenessesMs')],
  }),
  'timer-refused': event({
    level: 'error',
    help: 'A timer was dropped because the log refuses its message for good, for example for want of its topic',
    facts: { topic: name, key: id },
    feeds: [counts(refused)],
  }),
  'timer-unreadable': repeatedWarning({
    help: 'A record of timers.v1 was written by a newer release; its timer is read from the table of timers instead',
    facts: { shard: number, offset: number, error: text },
  }),
  'shard-claimed': event({
    level: 'debug',
    help: 'A scheduler claimed a shard',
    facts: { shard: number, epoch: number, behindMinutes: number },
    feeds: [counts(claimed)],
  }),
  'shard-overtaken': repeatedWarning({
    help: 'A watermark could not be moved because another scheduler had claimed the shard with a newer epoch',
    facts: { shard: number, epoch: number },
    feeds: [counts(overtaken)],
  }),
  'scheduler-clock-stepped-back': event({
    level: 'warn',
    help: "A scheduler's clock was set back; the minutes that it had fired too early are read again",
    facts: { stepMs: milliseconds },
    feeds: [counts(stepsBack)],
  }),
  'lost-work-found': event({
    level: 'warn',
    repeats: true,
    help: 'What a timer had fired for was still to be done a quarter of an hour later: it is set again. due: a Variant that is scheduled; publish: one that is publishing; comment: a first comment; plan: a change of a Plan',
    facts: { workspaceId: id, postId: optional(id), work: word('due', 'publish', 'comment', 'plan') },
    feeds: [counts(lostWork)],
  }),
};

export const TIMER_FAILURES = {
  'timer-firing-retried': retried('The messages of due timers could not be appended; they are appended again', {
    topic: optional(name),
    timers: optional(number),
    records: optional(number),
    failures: number,
  }),
  'lost-work-look-failed': retried('Timers that fired could not be looked at for what they left undone', {
    shard: number,
  }),
  'sweep-reminder-failed': retried('The step that a sweep waits for could not be sent again', { workspaceId: id }),
  'scheduler-step-failed': retried(
    'A periodic step of the scheduler failed (claim of shards, read of timers, move of watermarks); the next one repeats it',
  ),
};

export const TIMER_GAUGES = {
  timersQueued: gauge('crier_timers_queued', 'Timers in the timer queues of this process, which wait for their moment'),
  timersOverdue: gauge(
    'crier_timers_overdue',
    'Timers of this process whose instant is past and that are not fired yet',
  ),
  timersOldestOverdue: gauge(
    'crier_timers_oldest_overdue_seconds',
    'For how long the oldest of the timers of this process that are not fired has been due; 0: none is overdue',
  ),
  timersDueNext: gauge(
    'crier_timers_due_next',
    'Timers of this process that come due within the window. There is one window, of 30 s, for which every row is in memory. Later timers stand in the tables by shard and minute, and counting those of an hour would read 60 of them in each shard: timers.count does that when it is asked',
    ['window'],
  ),
};
