import { setTimeout as sleep } from 'node:timers/promises';
import { by, type Bench } from '../bench.ts';
import type { CrierServer, Settings } from '../crier-server.ts';
import { attemptsEnd, liveOf, schedule, type Live } from '../due-posts.ts';
import { buildPopulation, type Population } from '../population.ts';
import { quantile } from '../quantiles.ts';
import { target } from '../report.ts';

const WITHIN_MS = 600_000;
const POLL_MS = 250;
/** What was on its way when everything was held is sent by then. */
const IN_FORCE_MS = 2_000;
/** Of the allowances, where they are on. */
const WINDOW_SECONDS = 10;

/**
 * Everything is held, Variants come due, and the hold is released: how long until the last outcome, in order, and
 * within the Network's allowances where they are on. Each goes live once, or the row fails.
 */
export async function heldVariants(bench: Bench): Promise<void> {
  const { sizes } = bench;
  await released(bench, { name: 'free', count: sizes.held, settings: {} });
  const channels = sizes.workspaces * sizes.channelsAWorkspace;
  // It waits for its windows: a smoke run shows the row above.
  if (sizes.name === 'smoke') return;
  // An account has more than it may send in one window, and less than in two.
  const allowed = Math.ceil(sizes.held / channels / 1.5);
  await released(bench, {
    ...{ name: 'allowed', count: sizes.held, allowed },
    // That of the installation is as x gives it, unless it is named, too.
    settings: {
      CRIER_NETWORK_BUDGETS: `x.account=${allowed}/${WINDOW_SECONDS}s,x.app=${10 * sizes.held}/1d`,
    },
  });
}

interface HeldRun {
  readonly name: 'free' | 'allowed';
  readonly count: number;
  /** What each account may send in a window; left out: any number. */
  readonly allowed?: number;
  readonly settings: Settings;
}

async function released(bench: Bench, { name, count, allowed, settings }: HeldRun): Promise<void> {
  const { sizes, site, say, add } = bench;
  const server = await (await site.install(`held_${name}`)).start(settings);
  try {
    const { workspaces, channelsAWorkspace } = sizes;
    const population = await buildPopulation(server, { workspaces, channelsAWorkspace, keysAWorkspace: 1 });
    await server.admin.publishing.hold.mutate({ reason: 'a benchmark' });
    const { planned, dueTimes } = await held(bench, server, population, { name, count });
    const before = await server.attemptsEnded();
    say(`held, ${name}: releasing ${count}`);
    const from = Date.now();
    await server.admin.publishing.release.mutate();
    await attemptsEnd(server, before, planned, WITHIN_MS);
    const lastS = (Date.now() - from) / 1000;
    const live = await liveOf(server, planned);
    const early = live.filter(({ publishedAt }) => publishedAt < from).length;
    if (early > 0) throw new Error(`${early} Variants went live while they were held`);
    const accounts = byChannel(live, dueTimes, population);
    const figures = {
      'last outcome s': lastS,
      'a second': count / lastS,
      'first live ms': Math.min(...live.map(({ publishedAt }) => publishedAt - from)),
      'half live s':
        quantile(
          live.map(({ publishedAt }) => publishedAt - from),
          0.5,
        ) / 1000,
      'out of order': accounts.reduce((sum, times) => sum + outOfOrder(times), 0),
      'most of an account in a window': Math.max(...accounts.map(mostInAWindow)),
    };
    const within = by(site.engine, 30, 90);
    const goal =
      allowed === undefined
        ? target(`in order, all <= ${within} s`, figures, { atMost: { 'last outcome s': within, 'out of order': 0 } })
        : target(`<= ${allowed} in a window, in order`, figures, {
            atMost: { 'most of an account in a window': allowed, 'out of order': 0 },
          });
    add({
      group: 'held',
      what: `${count} held Variants released${allowed === undefined ? '' : `, ${allowed} in ${WINDOW_SECONDS} s allowed for each account`}`,
      rateLimit: 0,
      figures,
      target: goal,
      how: `x, ${workspaces * channelsAWorkspace} Channels in ${workspaces} Workspaces, due 1 ms apart while everything is held, sandbox in the same process at factor 0, 1 run`,
    });
  } finally {
    await server.stop();
  }
}

/** Schedules the Variants, and waits until all are due and none of them was sent. */
async function held(
  bench: Bench,
  server: CrierServer,
  population: Population,
  { name, count }: Pick<HeldRun, 'name' | 'count'>,
) {
  for (const lead of [1, 2, 4, 8]) {
    bench.say(`held, ${name}: creating ${count} Posts`);
    const start = Date.now() + lead * (bench.sizes.leadMs + count * by(bench.site.engine, 1, 5)) + IN_FORCE_MS;
    const dueTimes = Array.from({ length: count }, (_, index) => start + index);
    const before = await server.metric('crier_variants_held');
    const planned = await schedule(server, population, dueTimes, `Held ${name} ${lead}`);
    if (planned === null) continue;
    const giveUpAt = Date.now() + WITHIN_MS;
    while ((await server.metric('crier_variants_held')) < before + count) {
      if (Date.now() > giveUpAt) throw new Error(`not all of ${count} Variants came due within ${WITHIN_MS} ms`);
      await sleep(POLL_MS);
    }
    if (before > 0) throw new Error('Variants of an earlier try are held beside these');
    return { planned, dueTimes };
  }
  throw new Error(`${count} Posts can't be created in the time they are given`);
}

/** The instants at which the Variants of each Channel went live, in the order in which they were due. */
function byChannel(
  live: readonly Live[],
  dueTimes: readonly number[],
  { workspaces }: Population,
): readonly (readonly number[])[] {
  const indexOf = new Map(dueTimes.map((dueAt, index) => [dueAt, index]));
  const groups = Map.groupBy(live, ({ dueAt }) => {
    const index = indexOf.get(dueAt)!;
    const home = index % workspaces.length;
    return `${home} ${Math.floor(index / workspaces.length) % workspaces[home]!.channelIds.length}`;
  });
  return [...groups.values()].map((each) =>
    each.toSorted((a, b) => a.dueAt - b.dueAt).map(({ publishedAt }) => publishedAt),
  );
}

function outOfOrder(times: readonly number[]): number {
  return times.filter((at, index) => index > 0 && at < times[index - 1]!).length;
}

function mostInAWindow(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, at, index) => {
    while (sorted[first]! <= at - WINDOW_SECONDS * 1000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}
