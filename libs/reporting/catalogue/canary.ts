import { CANARY_STAGES } from '#domain/canary.ts';
import { counts, event, observes, retried } from '../event.ts';
import { id, milliseconds, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram } from '../metric.ts';

const failures = counter(
  'crier_canary_failures_total',
  'Posts of the canary that did not come through, by the stage that they did not reach within two minutes',
  ['stage'],
);
const stageSeconds = histogram(
  'crier_canary_stage_seconds',
  'How late Posts of the canary reach a stage, as looked up each second. accepted: from the request to its answer; the others: from the instant at which they were due',
  [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  ['stage'],
);

const stage = word(...CANARY_STAGES);

export const CANARY_EVENTS = {
  'canary-begun': event({
    level: 'info',
    help: 'This process runs the canary of the installation from now on',
    facts: { everySeconds: number },
  }),
  'canary-stage-reached': event({
    level: 'debug',
    help: 'A Post of the canary reached a stage of its way',
    facts: { stage, workspaceId: id, postId: id, tookMs: milliseconds },
    feeds: [observes(stageSeconds, 'tookMs')],
  }),
  'canary-failed': event({
    level: 'warn',
    help: 'A Post of the canary did not reach a stage of its way, and is watched no more',
    facts: { stage, workspaceId: id, postId: optional(id), detail: text },
    feeds: [counts(failures)],
  }),
  'canary-held': event({
    level: 'info',
    help: 'Publishing is held on every Network of the canary: it makes no Post until that ends',
    facts: { workspaceId: id },
  }),
};

export const CANARY_FAILURES = {
  'canary-step-failed': retried('The canary could not read or write its rows; it goes on with the next second'),
};

export const CANARY_GAUGES = {
  canaryLastSuccess: gauge(
    'crier_canary_last_success_timestamp_seconds',
    'When a Post of the canary last reached the stage, as every process with CRIER_CANARY=on and the role ingress last read it; before the first, since when the canary runs. stage held: when a hold last kept it from making one; 0: never',
    ['stage'],
  ),
  canaryEvery: gauge(
    'crier_canary_every_seconds',
    'How often the canary makes a Post, by CRIER_CANARY_EVERY_SECONDS: so old the last success of a stage may be',
  ),
};
