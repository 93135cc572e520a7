import { PUBLISH, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import type { ArmRow, Evidence } from '#tables/repositories/ledger.ts';
import { isoOf } from '../fields.ts';
import { logWords } from './log-words.ts';
import { timerWords } from './timer-words.ts';
import type { LedgerFacts, VariantFacts } from './variant-facts.ts';
import type { Whereabouts } from './whereabouts.ts';
import { countWords, instantWords } from './words.ts';

/** Of a Variant that is `publishing`, by its row in the ledger. */
export function attemptWords(facts: VariantFacts): Whereabouts {
  const { variant, ledger } = facts;
  const begun = `It is publishing, attempt ${variant.attempt}, due at ${instantWords(variant.dueAt, facts.now)}.`;
  const watchdog = timerWords(facts).filter((words) => words.startsWith('Its timer watchdog'));
  const { waitsFor, words } = byLedger(facts, ledger);
  return { waitsFor, words: [begun, ...words, ...watchdog] };
}

function byLedger(facts: VariantFacts, { arm, evidence }: LedgerFacts): Whereabouts {
  const { variant, now } = facts;
  if (arm === null || arm.attempt < variant.attempt) {
    const words = ['No publisher has begun this attempt.', ...logWords(facts, PUBLISH[variant.network])];
    return { waitsFor: 'a publisher', words };
  }
  const steps = evidence.filter(({ attempt }) => attempt === arm.attempt);
  if (arm.stage === 'closed' || arm.givenBack === true || publishedUnder(arm, steps)) {
    const how = arm.givenBack === true ? 'was given back because publishing is held' : `ended: ${verdictWords(arm)}`;
    const words = [`The attempt ${how}. Its report to the Workspace is on its way.`];
    return { waitsFor: 'its report', words: [...words, ...logWords(facts, WORKSPACE_COMMANDS)] };
  }
  const next =
    arm.notBefore > now
      ? [`It goes on at ${instantWords(arm.notBefore, now)}.`]
      : logWords(facts, PUBLISH[variant.network]);
  if (arm.stage === 'armed') return { waitsFor: 'the Network', words: [armedWords(arm, steps, now), ...next] };
  const tries = arm.failures > 0 ? ` The Network refused it for now, ${countWords(arm.failures, 'time')}.` : '';
  const words = [`A publisher prepares it: nothing has been sent.${tries}${lastStep(steps, now)}`, ...next];
  return { waitsFor: arm.notBefore > now ? 'the Network' : 'a publisher', words };
}

function publishedUnder({ stage, armToken }: ArmRow, steps: readonly Evidence[]): boolean {
  return stage === 'armed' && steps.some((step) => step.armToken === armToken && step.outcome === 'published');
}

function armedWords({ armedAt, armToken, asked, sendBefore }: ArmRow, steps: readonly Evidence[], now: number): string {
  const armed = `It was armed at ${instantWords(armedAt, now)}`;
  const answer = steps.findLast((step) => step.armToken === armToken);
  const askedWords = asked === 0 ? '' : ` The Network was asked ${countWords(asked, 'time')} what became of it.`;
  if (answer === undefined)
    return now < sendBefore
      ? `${armed}: the one call that publishes is on its way.`
      : `${armed}, and what the call came to is not known. It is not sent again: the Network is asked instead.${askedWords}`;
  if (answer.outcome === 'accepted' || answer.outcome === 'processing')
    return `${armed}; the Network took it and works on it.${askedWords}${lastStep([answer], now)}`;
  return `${armed}.${askedWords}${lastStep([answer], now)}`;
}

function lastStep(steps: readonly Evidence[], now: number): string {
  const last = steps.at(-1);
  if (last === undefined) return '';
  return ` Its last step, ${last.step}, ended as ${last.outcome} at ${instantWords(last.finishedAt, now)}.`;
}

function verdictWords({ verdict }: ArmRow): string {
  if (verdict === null) return 'published';
  return verdict.kind === 'failed' ? `failed, ${verdict.reason}` : verdict.kind;
}

/** What became of the first comment under a Variant that is live. */
export function commentWords({ variant, commentLedger, now }: VariantFacts): readonly string[] {
  const { firstComment } = variant;
  if (firstComment === undefined) return [];
  if (firstComment.status !== 'waiting') return [`Its first comment is ${firstComment.status}.`];
  const arm = commentLedger?.arm ?? null;
  if (arm === null) return ['Its first comment waits for a publisher.'];
  const when = arm.notBefore > now ? ` It goes on at ${isoOf(arm.notBefore)}.` : '';
  return [`Its first comment waits: its attempt is ${arm.stage}.${when}`];
}
