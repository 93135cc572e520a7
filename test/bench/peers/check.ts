import { setTimeout as sleep } from 'node:timers/promises';
import { judge } from './judge.ts';
import type { PeerRun } from './workloads/peer-run.ts';
import { schedulePlan, settled } from './workloads/plan.ts';

const POSTS = 10;
const GAP_MS = 50;
const CHANNELS = 2;
/** What is repeated, or comes of itself, would have come by then. */
const AFTER_MS = 700;

/**
 * Before anything of a peer is measured: what was scheduled reaches the sink, each Variant once and none early, and the
 * peer says so. Throws where it does not: a peer that does nothing, or less than it says, would be the fastest of all.
 */
export async function checkPeer(run: Omit<PeerRun, 'meter'>): Promise<void> {
  const plan = { label: 'Check', posts: POSTS, channelsAPost: CHANNELS, gapMs: GAP_MS };
  const { posts, home, variants } = await schedulePlan(run, CHANNELS, plan);
  await run.sink.reached('published', variants, posts.at(-1)!.dueAt - Date.now() + run.sizes.checkMs);
  const ended = await settled(home, run.sizes.checkMs);
  if (run.peer.api !== null && !(await run.sink.reached('webhooks', variants, run.sizes.checkMs)))
    throw new Error(`the check: not all of ${variants} webhooks were sent`);
  await sleep(AFTER_MS);
  const { notPublished } = await home.state();
  const { lost, reported, doubled, early } = judge(posts, home.accounts, await run.sink.arrivals(), notPublished);
  if (lost + reported + doubled + early > 0 || !ended || notPublished.length > 0)
    throw new Error(
      `the check: of ${variants} Variants ${lost + reported} did not arrive, ${doubled} came twice, ${early} early` +
        `${ended ? '' : ', and they have not ended'}; ${notPublished.length} were reported as not published`,
    );
}
