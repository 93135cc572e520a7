import { counts, event, observes, repeatedWarning, retried } from '../event.ts';
import { id, number, text } from '../fact.ts';
import { counter, gauge, histogram } from '../metric.ts';

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200];

const turns = counter(
  'crier_turns_total',
  'Turns of Workspaces. lost: the compare-and-set failed because another owner had committed a turn',
  ['outcome'],
);
const turnCommands = histogram('crier_turn_commands', 'Commands that one committed turn carried out', BATCH_SIZES);
const hintsLost = counter(
  'crier_answer_hints_lost_total',
  'Answers whose hint could not be delivered; the process that waits for one polls it within a second',
);

export const WORKSPACE_EVENTS = {
  'turn-committed': event({
    level: 'debug',
    help: 'A turn of a Workspace was committed',
    facts: { workspaceId: id, commands: number, rows: number, messages: number },
    feeds: [counts(turns, { constants: { outcome: 'committed' } }), observes(turnCommands, 'commands')],
  }),
  'turn-lost': repeatedWarning({
    help: 'The compare-and-set of a turn failed because another owner had committed one; the commands are decided again',
    facts: { workspaceId: id, version: number },
    feeds: [counts(turns, { constants: { outcome: 'lost' } })],
  }),
  'answer-hints-lost': repeatedWarning({
    help: 'Hints of answers could not be delivered to the process that waits for them',
    facts: { target: text, answers: number, detail: text },
    feeds: [counts(hintsLost, { value: 'answers' })],
  }),
};

export const WORKSPACE_FAILURES = {
  'outbox-clear-failed': retried('A carried out outbox could not be cleared from its head', { workspaceId: id }),
};

export const WORKSPACE_GAUGES = {
  answersAwaited: gauge('crier_answers_awaited', 'Commands whose answer a request in this process waits for'),
};
