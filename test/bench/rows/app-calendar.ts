import { fillAgencies } from '../agency-weeks.ts';
import { BenchCalendar, framesOfScrolling, nextWeek, whenReadAhead, type Step } from '../app-calendar.ts';
import { startChromium, type AppTab } from '../app-tab.ts';
import { times, type Bench } from '../bench.ts';
import type { BenchInstallation } from '../installation.ts';
import { MIB } from '../machine.ts';
import { buildPopulation, ownerOf } from '../population.ts';
import { median, quantile } from '../quantiles.ts';
import { target } from '../report.ts';
import { signIn } from '../signed-in.ts';

/** The first that is looked at has neighbours on both sides. */
const FIRST_WEEK = 1;
const NEXT_WEEKS = 4;
/** By then a tab keeps as many weeks as it ever does. */
const FULL_AFTER_WEEKS = 20;

/** The calendar of an agency in Chromium: opening a week, going on to others, scrolling, and what the tab keeps. */
export async function appCalendar(bench: Bench): Promise<void> {
  const installation = await bench.site.install('app');
  // In Cassandra on this machine so many weeks take longer to write than to look at.
  const paged = bench.site.engine === 'embedded' ? bench.sizes.appPagedWeeks : 0;
  const now = await fill(bench, installation, Math.max(FIRST_WEEK + NEXT_WEEKS, paged) + 2);
  const server = await installation.start();
  const browser = await startChromium();
  try {
    const calendar = new BenchCalendar({ browser, server, person: await signIn(server, ownerOf(1)), now });
    // What is measured comes from a warm server.
    await calendar.open(FIRST_WEEK, async () => {});
    await views(bench, calendar);
    await scrolling(bench, calendar);
    if (paged > 0) await memory(bench, calendar, paged);
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Fills in `weeks` of the first Workspace and one of each other; resolves with the instant that they count from. */
async function fill({ sizes, say }: Bench, installation: BenchInstallation, weeks: number): Promise<number> {
  const first = await installation.start();
  const population = await buildPopulation(first, {
    workspaces: sizes.appWorkspaces,
    channelsAWorkspace: 3,
    keysAWorkspace: 1,
  }).finally(() => first.stop());
  say(`filling in ${sizes.appPostsAWeek} Posts for each week`);
  const now = Date.now();
  const [one, ...others] = population.workspaces.map(({ workspaceId }) => workspaceId);
  const engine = await installation.open();
  const common = { postsAWeek: sizes.appPostsAWeek, now };
  await fillAgencies(engine, { ...common, workspaceIds: [one!], weeks });
  await fillAgencies(engine, { ...common, workspaceIds: others, weeks: 1 });
  await engine.close();
  return now;
}

interface Viewed {
  readonly first: Step;
  readonly next: readonly Step[];
  readonly nodes: number;
  readonly shift: number;
}

async function views({ sizes, add, say }: Bench, calendar: BenchCalendar): Promise<void> {
  const viewed = await times(sizes.appViews, (run) => {
    say(`opening a week, and the next ${NEXT_WEEKS}, run ${run}`);
    return calendar.open(FIRST_WEEK, viewWeeks);
  });
  const posts = `${sizes.appPostsAWeek} Posts`;
  const first = {
    'painted ms': median(viewed.map((each) => each.first.ms)),
    'script cpu ms': median(viewed.map((each) => each.first.script)),
    'page cpu ms': median(viewed.map((each) => each.first.task)),
    'layout shift': Math.max(...viewed.map(({ shift }) => shift)),
    'DOM nodes': median(viewed.map(({ nodes }) => nodes)),
  };
  add({
    group: 'app',
    what: `first view of a week of ${posts}`,
    rateLimit: 0,
    figures: first,
    target: target('painted <= 1 s, script <= 200 ms, no shift', first, {
      atMost: { 'painted ms': 1_000, 'script cpu ms': 200, 'layout shift': 0 },
    }),
    how: `Chromium, a new browser profile each time: from the address to painted cards, in one of ${sizes.appWorkspaces} Workspaces of so many Posts a week; medians of ${sizes.appViews}, layout shift the highest, while it went on to ${NEXT_WEEKS} weeks too; script and page are the main thread's time on the processor`,
  });
  const next = viewed.flatMap((each) => each.next);
  const figures = {
    'painted p50 ms': median(next.map(({ ms }) => ms)),
    'painted p95 ms': quantile(
      next.map(({ ms }) => ms),
      0.95,
    ),
    'script cpu ms': median(next.map(({ script }) => script)),
    'page cpu ms': median(next.map(({ task }) => task)),
  };
  add({
    group: 'app',
    what: `going on to the next week of ${posts}`,
    rateLimit: 0,
    figures,
    target: target('p50 <= 200 ms', figures, { atMost: { 'painted p50 ms': 200 } }),
    how: `from the press of the button to painted cards, once the tab has read ahead; ${next.length} weeks`,
  });
}

async function viewWeeks(tab: AppTab, first: Step): Promise<Viewed> {
  await whenReadAhead(tab);
  const nodes = await tab.page.locator('*').count();
  const next = await times(NEXT_WEEKS, async () => {
    const step = await nextWeek(tab);
    await whenReadAhead(tab);
    return step;
  });
  return { first, next, nodes, shift: (await tab.noticed()).shift };
}

async function scrolling({ sizes, add, say }: Bench, calendar: BenchCalendar): Promise<void> {
  say('scrolling');
  await calendar.open(FIRST_WEEK, async (tab) => {
    await whenReadAhead(tab);
    const before = await tab.costs();
    const frames = await framesOfScrolling(tab, '[role=grid]', sizes.appFrames);
    const after = await tab.costs();
    await tab.page.goto('about:blank');
    await tab.page.setContent('<div id="empty" style="height:700px;overflow:auto"><div style="height:3000px">');
    const floor = await framesOfScrolling(tab, '#empty', sizes.appFrames);
    const figures = {
      'frames a second': 1_000 / median(frames),
      'frame p95 ms': quantile(frames, 0.95),
      'page cpu ms a frame': (after.task - before.task) / frames.length,
      'frames a second of an empty page': 1_000 / median(floor),
    };
    add({
      group: 'app',
      what: `scrolling a week of ${sizes.appPostsAWeek} Posts`,
      rateLimit: 0,
      figures,
      target: target('60 frames a second', figures, { atLeast: { 'frames a second': 59 } }),
      how: `${sizes.appFrames} frames, 24 pixels each, down and up; drawn by the processor, as this machine has nothing else for it; the empty page is scrolled in the same way`,
    });
  });
}

async function memory({ sizes, add, say }: Bench, calendar: BenchCalendar, paged: number): Promise<void> {
  say(`going on for ${paged} weeks`);
  const heaps = await calendar.open(0, async (tab) => {
    const taken: number[] = [];
    for (let week = 1; week <= paged; week++) {
      await nextWeek(tab);
      if (week === Math.min(FULL_AFTER_WEEKS, Math.ceil(paged / 2)) || week === paged) {
        await whenReadAhead(tab);
        taken.push((await tab.heapBytes()) / MIB);
      }
    }
    return taken;
  });
  const figures = { 'early MiB': heaps[0]!, 'last MiB': heaps.at(-1)!, ratio: heaps.at(-1)! / heaps[0]! };
  add({
    group: 'app',
    what: `memory of a tab that goes on for ${paged} weeks of ${sizes.appPostsAWeek} Posts`,
    rateLimit: 0,
    figures,
    target: target('ratio <= 1.1', figures, { atMost: { ratio: 1.1 } }),
    how: `the heap of its scripts after collecting garbage, after ${Math.min(FULL_AFTER_WEEKS, Math.ceil(paged / 2))} weeks and at the end`,
  });
}
