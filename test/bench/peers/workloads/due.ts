import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../quantiles.ts';
import { judge } from '../judge.ts';
import type { Figures, PeerRun } from './peer-run.ts';
import { schedulePlan, type PlanOptions } from './plan.ts';

const WITHIN_MS = 300_000;
/** A repeat that follows at once is still counted. */
const AFTER_MS = 300;

/** Variants that come due by a plan: how late each arrives at the sink. */
export async function dueVariants(run: PeerRun, channels: number, options: PlanOptions): Promise<Figures> {
  const before = run.meter.cpuMs();
  const { posts, home, startsAt, variants } = await schedulePlan(run, channels, options);
  await sleep(Math.max(0, startsAt - Date.now()));
  const withinMs = posts.at(-1)!.dueAt - startsAt + WITHIN_MS;
  await run.sink.reached('published', variants, withinMs);
  const hooks = run.peer.api === null ? {} : await webhooksAfter(run, variants, startsAt);
  await sleep(AFTER_MS);
  const cpu = run.meter.cpuMs() - before;
  const { first, lost, doubled, early } = judge(posts, home.accounts, await run.sink.arrivals());
  const lateMs = first.map((each) => each.lateMs);
  const last = Math.max(...first.map(({ at }) => at)) - startsAt;
  return {
    'p50 ms': quantile(lateMs, 0.5),
    'p99 ms': quantile(lateMs, 0.99),
    'max ms': quantile(lateMs, 1),
    ...(options.gapMs === 0 ? { 'last s': last / 1000, ...hooks } : {}),
    ...{ lost, doubled, early },
    'cpu ms a Variant': cpu / variants,
  };
}

/** When the last receiver of webhooks was told, after the plan's start. */
async function webhooksAfter(run: PeerRun, variants: number, startsAt: number): Promise<Figures> {
  const told = await run.sink.reached('webhooks', variants, WITHIN_MS);
  return { 'last webhook s': told ? (Date.now() - startsAt) / 1000 : Number.NaN };
}
