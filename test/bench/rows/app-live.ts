import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBrowser } from '#testing/test-browser.ts';
import { firstMonday } from '../agency-weeks.ts';
import { AppTab, startChromium } from '../app-tab.ts';
import type { Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import type { ShownCount } from '../in-page.ts';
import { LiveTab, whenOrAfter } from '../live-tab.ts';
import { buildPopulation, ownerOf, type Home } from '../population.ts';
import { quantile } from '../quantiles.ts';
import { target } from '../report.ts';
import { signIn } from '../signed-in.ts';

const MOST_MS = 1_000;
/** What is not shown by then counts as shown then. */
const PATIENCE_MS = 10_000;
/** For tabs to be connected and their Workspaces to be followed. */
const SETTLE_MS = 2_000;
const HOUR_MS = 3_600_000;

interface Change {
  readonly postId: string;
  readonly home: Home;
  /** When the answer of the change had come; Unix ms. */
  readonly answeredAt: number;
}

/** Posts that keys create while a hundred tabs look: from the answer to what the tabs show. */
export async function appLive(bench: Bench): Promise<void> {
  const { sizes, site, say, add } = bench;
  const installation = await site.install('live');
  const server = await installation.start();
  const replica = await installation.replica(server);
  const browser = await startChromium();
  const tabs: LiveTab[] = [];
  try {
    const { workspaces: homes } = await buildPopulation(server, {
      workspaces: sizes.appWorkspaces,
      channelsAWorkspace: 1,
      keysAWorkspace: 1,
    });
    const shown = new Map<string, number[]>();
    const onShown = (postId: string, at: number): void => {
      const times = shown.get(postId) ?? [];
      shown.set(postId, [...times, at]);
    };
    say(`opening ${sizes.appTabs} tabs`);
    const people = new Map<string, TestBrowser>();
    for (const owner of new Set(homes.map(({ number }) => ownerOf(number))))
      people.set(owner, await signIn(server, owner));
    const ownerAt = (place: number): TestBrowser => people.get(ownerOf(homes[place]!.number))!;
    const urls = [server, ...(replica === null ? [] : [replica])].map(({ baseUrl }) => baseUrl);
    for (let tab = 0; tab < sizes.appTabs; tab++) {
      const place = tab % homes.length;
      // The tabs of one Workspace are served by each process in turn.
      const url = urls[Math.floor(tab / homes.length) % urls.length]!;
      const { workspaceId } = homes[place]!;
      tabs.push(await LiveTab.open({ url, signedIn: ownerAt(place), workspaceId, onShown }));
    }
    const real = await AppTab.open(browser, server.baseUrl, ownerAt(0));
    const monday = firstMonday(Date.now());
    const date = new Date(monday).toISOString().slice(0, 10);
    await real.page.goto(`${server.baseUrl}/app/calendar?zone=UTC&date=${date}`);
    await real.page.locator('.calendar-line-words', { hasText: /No Posts ·/ }).waitFor();
    await sleep(SETTLE_MS);
    const count = sizes.appChangesASecond * sizes.appLiveSeconds;
    say(`creating ${count} Posts`);
    const changes = await createEvenly(server, homes, { count, perSecond: sizes.appChangesASecond, dueFrom: monday });
    const tabsOf = ({ number }: Home): number => Math.ceil((sizes.appTabs - (number - 1)) / homes.length);
    const isShown = ({ postId, home }: Change): boolean => (shown.get(postId)?.length ?? 0) >= tabsOf(home);
    await whenOrAfter(() => changes.every(isShown), PATIENCE_MS);
    if (!changes.some(({ postId }) => shown.has(postId)))
      throw new Error(`tabs read ${shown.size} Posts, and none of those that were created`);
    const inTabs = changes.flatMap(({ postId, home, answeredAt }) => {
      const times = shown.get(postId) ?? [];
      return Array.from({ length: tabsOf(home) }, (_, tab) => (times[tab] ?? answeredAt + PATIENCE_MS) - answeredAt);
    });
    const counts = await real.page.evaluate<readonly ShownCount[]>('bench.counts');
    const inPage = changes
      .filter(({ home }) => home === homes[0])
      .map(({ answeredAt }, index) => (counts.find(({ count: posts }) => posts > index)?.at ?? Infinity) - answeredAt)
      .map((ms) => Math.min(ms, PATIENCE_MS));
    const figures = {
      'p50 ms': quantile(inTabs, 0.5),
      'p99 ms': quantile(inTabs, 0.99),
      'most ms': Math.max(...inTabs),
      'in Chromium p50 ms': quantile(inPage, 0.5),
      'in Chromium most ms': Math.max(...inPage),
    };
    const whole = tabs.reduce((sum, { wholeReads }) => sum + wholeReads, 0);
    if (whole > 0) throw new Error(`${whole} times a tab was to read all that it shows`);
    add({
      group: 'app',
      what: `a Post on the screens of ${sizes.appTabs} tabs${replica === null ? '' : ', of two processes'}`,
      rateLimit: 0,
      figures,
      target: target(`p99 <= ${MOST_MS} ms`, figures, {
        atMost: { 'p99 ms': MOST_MS, 'in Chromium most ms': MOST_MS },
      }),
      how: `${count} Posts, ${sizes.appChangesASecond} a second over ${homes.length} Workspaces, from the answer of the API until a tab has read what changed, or Chromium shows it; tabs without a browser collect and read changes by the code of the app, and share the processors with the server`,
    });
  } finally {
    for (const tab of tabs) tab.close();
    await browser.close();
    await replica?.stop();
    await server.stop();
  }
}

interface EvenChanges {
  readonly count: number;
  readonly perSecond: number;
  readonly dueFrom: number;
}

/** By an API key, in each Workspace in turn, at planned instants. */
async function createEvenly(
  server: CrierServer,
  homes: readonly Home[],
  { count, perSecond, dueFrom }: EvenChanges,
): Promise<readonly Change[]> {
  const from = performance.now();
  return Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Change> => {
      await sleep(Math.max(0, from + (index * 1_000) / perSecond - performance.now()));
      const home = homes[index % homes.length]!;
      const answer = await fetch(`${server.baseUrl}/api/posts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${home.keys[0]!}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          text: `Change ${index}`,
          channelIds: home.channelIds,
          scheduledAt: new Date(dueFrom + (index % (7 * 24)) * HOUR_MS).toISOString(),
        }),
      });
      if (answer.status !== 201) throw new Error(`/api/posts answered ${answer.status}: ${await answer.text()}`);
      const { data } = (await answer.json()) as { readonly data: { readonly id: string } };
      return { postId: data.id, home, answeredAt: performance.timeOrigin + performance.now() };
    }),
  );
}
