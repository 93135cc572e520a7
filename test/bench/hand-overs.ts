import { WATCHDOG_MS } from '#outbox/publish-messages.ts';
import type { Engine } from '#services/crier/engines/engine.ts';
import { createDueTimers, minuteOf, type DueTimer } from '#tables/repositories/due.ts';
import { SHARDS } from '#tables/declarations/topics.ts';
import type { Live } from './due-posts.ts';

const PAGE = 1_000;
const ATTEMPT = '1';

/**
 * When each of the Variants was handed to its publisher: the instant of the turn that did it. The turn sets a watchdog
 * for each job a fixed time later, and that row stays. The job itself does not: the embedded log deletes records that
 * every group has acknowledged.
 */
export async function readHandOvers(engine: Engine, lives: readonly Live[]): Promise<ReadonlyMap<string, number>> {
  const variantIds = new Set(lives.map(({ variantId }) => variantId));
  const first = minuteOf(Math.min(...lives.map(({ dueAt }) => dueAt)) + WATCHDOG_MS);
  const last = minuteOf(Math.max(...lives.map(({ publishedAt }) => publishedAt)) + WATCHDOG_MS);
  const due = createDueTimers(engine.store);
  const found = new Map<string, number>();
  for (let shard = 0; shard < SHARDS; shard++) {
    for (let minute = first; minute <= last; minute++) {
      for (let after: DueTimer | null = null; ;) {
        const timers: readonly DueTimer[] = await due.read(shard, minute, after, PAGE);
        for (const { timerId, dueAt } of timers) {
          const [why, variantId, attempt] = timerId.split(' ');
          if (why === 'watchdog' && variantIds.has(variantId!) && attempt === ATTEMPT)
            found.set(variantId!, dueAt - WATCHDOG_MS);
        }
        if (timers.length < PAGE) break;
        after = timers.at(-1)!;
      }
    }
  }
  if (found.size < lives.length)
    throw new Error(`the tables tell of ${found.size} of ${lives.length} Variants when they were handed over`);
  return found;
}
