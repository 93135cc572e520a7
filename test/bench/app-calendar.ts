import type { Browser } from 'playwright-core';
import type { TestBrowser } from '#testing/test-browser.ts';
import { firstMonday } from './agency-weeks.ts';
import { AppTab } from './app-tab.ts';
import type { CrierServer } from './crier-server.ts';

const WEEK_MS = 7 * 86_400_000;

export interface CalendarSite {
  readonly browser: Browser;
  readonly server: CrierServer;
  readonly person: TestBrowser;
  readonly now: number;
}

/** What changes between two moments of a tab; times in ms on the processor, `ms` on the wall. */
export interface Step {
  readonly ms: number;
  readonly script: number;
  readonly task: number;
}

/** One person's calendar in new tabs, in which nothing is cached yet. */
export class BenchCalendar {
  readonly #site: CalendarSite;

  constructor(site: CalendarSite) {
    this.#site = site;
  }

  /** Opens a week, 0 being the first that waits, and hands over the tab and what the first view of it took. */
  async open<Outcome>(week: number, use: (tab: AppTab, first: Step) => Promise<Outcome>): Promise<Outcome> {
    const { browser, server, person, now } = this.#site;
    const tab = await AppTab.open(browser, server.baseUrl, person);
    try {
      const date = new Date(firstMonday(now) + week * WEEK_MS).toISOString().slice(0, 10);
      await tab.page.goto(`${server.baseUrl}/app/calendar?zone=UTC&date=${date}`, { waitUntil: 'commit' });
      const ms = await tab.page.evaluate<number>('bench.painted()');
      const { script, task } = await tab.costs();
      return await use(tab, { ms, script, task });
    } finally {
      await tab.close();
    }
  }
}

/** Presses the button for the next week; resolves when its Posts are painted. */
export async function nextWeek(tab: AppTab): Promise<Step> {
  const before = await tab.costs();
  const ms = await tab.page.evaluate<number>('bench.nextWeek()');
  const after = await tab.costs();
  return { ms, script: after.script - before.script, task: after.task - before.task };
}

/** Resolves when the tab has read all that it reads ahead. */
export async function whenReadAhead(tab: AppTab): Promise<void> {
  await tab.page.evaluate('bench.idle()');
}

/** The ms from frame to frame while an element is scrolled, down and up again. */
export function framesOfScrolling(tab: AppTab, selector: string, frames: number): Promise<readonly number[]> {
  return tab.page.evaluate(`bench.scroll(${JSON.stringify(selector)}, ${frames})`);
}
