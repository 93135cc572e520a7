import { DURABLE, type HandlerContext } from '#consumer/consumer-options.ts';
import type { PublishAnswer } from '#networks/contract/adapter.ts';
import type { AnsweredStep, RestoredReading, Step } from './attempt.ts';

/** What a run may do on account of its job, and when. */
export type RunContext = Omit<HandlerContext, 'marked'>;

/**
 * The context of a job that is durable, may have been begun before, and has neither a predecessor nor a successor on
 * its Channel.
 */
export const ALONE: RunContext = { ...DURABLE, mayBeRepeat: true, predecessor: null, pass: () => {} };

/**
 * What is done for a Variant while the one before it on its Channel may still be on its way to the Network: reads, and
 * what the Network lets be repeated, which nobody sees. All else waits for the Channel's turn.
 */
export const OUT_OF_TURN: ReadonlySet<Step['kind']> = new Set<Step['kind']>([
  'read-arm',
  'get-tokens',
  'get-files',
  'ask-throttle',
  'prepare',
  'write-evidence',
]);

/** What was read or prepared out of turn counts for so long; after that the attempt begins anew with its turn. */
export const OUT_OF_TURN_COUNTS_FOR_MS = 5_000;

const TAKEN: ReadonlySet<PublishAnswer['kind']> = new Set<PublishAnswer['kind']>(['published', 'accepted']);

/**
 * Whether the next Variant of the Channel may be armed once the evidence of this answer is written: the Network took
 * this one, so nothing that was found out for the next one is wrong because of it. After a restore the next one is
 * looked for at the Network, among what no other has claimed by then.
 */
export function givesTurn({ step, answer }: AnsweredStep, restored: RestoredReading | null): boolean {
  return step === 'publish' && TAKEN.has(answer.kind) && restored === null;
}
