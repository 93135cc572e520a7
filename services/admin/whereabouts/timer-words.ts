import { minuteOf, minuteStart } from '#tables/repositories/due.ts';
import { isoOf } from '../fields.ts';
import type { TimerFact } from './timers-of-post.ts';
import type { VariantFacts } from './variant-facts.ts';
import { instantWords } from './words.ts';

/** `waits`: it has not fired. `fired`: its whole minute has. `due`: one of both; the shard's row does not say which. */
export type TimerState = 'waits' | 'due' | 'fired';

export function timerState(
  { dueAt }: Pick<TimerFact, 'dueAt'>,
  { shard, now }: Pick<VariantFacts, 'shard' | 'now'>,
): TimerState {
  if (shard !== null && minuteOf(dueAt) < shard.watermark) return 'fired';
  return dueAt > now ? 'waits' : 'due';
}

/** Of the timers that have not certainly fired: where each is, and who fires it. */
export function timerWords(facts: VariantFacts): readonly string[] {
  const { timers, timersLeftOut, shard, now, variant } = facts;
  const open = timers.filter((timer) => timerState(timer, facts) !== 'fired');
  const owner = shard?.owner ?? null;
  const who = owner === null ? 'whose owner is not known' : `owned by ${owner}`;
  const words = open.map((timer) => {
    const minute = `shard ${timer.shard}, minute ${isoOf(minuteStart(minuteOf(timer.dueAt)))}`;
    const state = timerState(timer, facts) === 'waits' ? 'waits' : 'has fired, or is about to';
    return `Its timer ${timer.name} ${state}: ${instantWords(timer.dueAt, now)}, in ${minute}, ${who}.`;
  });
  if (timersLeftOut) return [...words, 'Not all timers of those minutes were read: there are too many.'];
  if (words.length > 0 || variant.dueAt <= now) return words;
  return ['No timer for it is in the tables, so it would not begin by itself: this is a defect, please report it.'];
}
