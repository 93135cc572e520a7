import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../quantiles.ts';
import { judge, type Verdict } from '../judge.ts';
import type { Home } from '../peer.ts';
import type { Figures, PeerRun } from './peer-run.ts';
import { schedulePlan, type PlanOptions } from './plan.ts';

/** What arrives so much after its due time, after the kill, is late because of it. */
const LATE_MS = 100;
/** A repeat that follows at once is still counted. */
const AFTER_MS = 500;
const POLL_MS = 250;
/** When nothing has arrived for so long, the peer is asked what has not ended. */
const QUIET_MS = 1_000;

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
  const endedAt = await allEnded(run, home, variants);
  await sleep(AFTER_MS);
  const { unfinished, notPublished } = await home.state();
  const { first, lost, reported, doubled, early } = judge(posts, home.accounts, await sink.arrivals(), notPublished);
  return {
    // What has not ended may still be sent: it is late, not lost.
    ...{ Variants: variants, lost: Math.max(0, lost - unfinished), doubled, early },
    'not sent, and said so': reported,
    'not ended': unfinished,
    ...lateOnes(first, killedAt),
    'last outcome known s': (endedAt - killedAt) / 1000,
  };
}

/** From the kill to the arrivals of those that are late because of it; 0 where none is. */
export function lateOnes(first: Verdict['first'], killedAt: number): Figures {
  const late = first.filter(({ lateMs, at }) => lateMs > LATE_MS && at > killedAt).map(({ at }) => at - killedAt);
  const seconds = (fraction: number): number => (late.length === 0 ? 0 : quantile(late, fraction) / 1000);
  return { late: late.length, '99 % of late ones s': seconds(0.99), 'last late one s': seconds(1) };
}

/**
 * When the peer says of all of them how they ended, or the time for it has passed. It is not asked while they arrive:
 * reading thousands of Posts again and again would take the processor from the publishing that is measured.
 */
async function allEnded({ sink, sizes }: PeerRun, home: Home, variants: number): Promise<number> {
  const giveUpAt = Date.now() + sizes.settleMs;
  for (let [arrived, since] = [-1, Date.now()]; ; await sleep(POLL_MS)) {
    const count = await sink.count('published');
    if (count !== arrived) [arrived, since] = [count, Date.now()];
    const isQuiet = arrived >= variants || Date.now() - since >= QUIET_MS;
    if (isQuiet && (await home.state()).unfinished === 0) return Date.now();
    if (Date.now() > giveUpAt) return Date.now();
  }
}
