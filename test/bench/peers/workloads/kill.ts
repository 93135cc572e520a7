import { setTimeout as sleep } from 'node:timers/promises';
import { judge } from '../judge.ts';
import type { Figures, PeerRun } from './peer-run.ts';
import { schedulePlan, settled, type PlanOptions } from './plan.ts';

/** What arrives so much after its due time, after the kill, is late because of it. */
const LATE_MS = 100;
/** A repeat that follows at once is still counted. */
const AFTER_MS = 500;

export interface KillOptions extends PlanOptions {
  /** After the first due time. */
  readonly killAfterMs: number;
}

/**
 * The worker is killed amid what is due and started again. At the end, either everything has ended by the peer's own
 * word, or the time for it has passed.
 */
export async function killedWorker(run: PeerRun, channels: number, options: KillOptions): Promise<Figures> {
  const { sizes, peer, sink } = run;
  const { posts, home, startsAt, variants } = await schedulePlan(run, channels, options);
  await sleep(Math.max(0, startsAt + options.killAfterMs - Date.now()));
  const killedAt = Date.now();
  await peer.kill();
  await sleep(sizes.downMs);
  await peer.restart();
  await sleep(Math.max(0, posts.at(-1)!.dueAt - Date.now()));
  await settled(home, sizes.settleMs);
  const settledAt = Date.now();
  await sleep(AFTER_MS);
  const { unfinished, notPublished } = await home.state();
  const { first, lost, reported, doubled, early } = judge(posts, home.accounts, await sink.arrivals(), notPublished);
  const late = first.filter(({ lateMs, at }) => lateMs > LATE_MS && at > killedAt).map(({ at }) => at - killedAt);
  return {
    // What has not ended may still be sent: it is late, not lost.
    ...{ Variants: variants, lost: Math.max(0, lost - unfinished), doubled, early },
    'not sent, and said so': reported,
    'not ended': unfinished,
    late: late.length,
    'last late one s': late.length === 0 ? 0 : Math.max(...late) / 1000,
    'all ended s': (settledAt - killedAt) / 1000,
  };
}
