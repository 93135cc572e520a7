import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { inheritedEnvironment } from '#testing/engines/environment.ts';
import type { TestBrowser } from '#testing/test-browser.ts';
import { IN_PAGE, type Noticed } from './in-page.ts';

const VIEWPORT = { width: 1440, height: 900 };
/** One whose clocks are not those of the Workspace, and change. */
const ZONE = 'Europe/Berlin';
const ACTION_MS = 60_000;

/** A Chromium without a trace of Playwright's: that one takes pictures of the DOM while it is measured. */
export function startChromium(): Promise<Browser> {
  const executablePath = inheritedEnvironment()['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath, args });
}

/** What a tab has done since it was opened. */
export interface TabCosts {
  /** Time of the main thread on the processor, in ms, of which scripts. */
  readonly task: number;
  readonly script: number;
  readonly layout: number;
  readonly style: number;
  readonly nodes: number;
}

/** A tab of the app of one person, with what it costs. */
export class AppTab {
  readonly page: Page;
  readonly #devtools: CDPSession;

  private constructor(page: Page, devtools: CDPSession) {
    this.page = page;
    this.#devtools = devtools;
  }

  /** In a browser context of its own: nothing is cached. */
  static async open(browser: Browser, baseUrl: string, signedIn: TestBrowser): Promise<AppTab> {
    const context = await browser.newContext({ viewport: VIEWPORT, timezoneId: ZONE, locale: 'en-GB' });
    context.setDefaultTimeout(ACTION_MS);
    await context.addCookies([...signedIn.cookies].map(([name, value]) => ({ name, value, url: baseUrl })));
    await context.addInitScript(IN_PAGE);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    // Of the thread's time on the processor: other work on the machine does not count.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new AppTab(page, devtools);
  }

  async costs(): Promise<TabCosts> {
    const { metrics } = await this.#devtools.send('Performance.getMetrics');
    const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      task: 1_000 * of('TaskDuration'),
      script: 1_000 * of('ScriptDuration'),
      layout: 1_000 * of('LayoutDuration'),
      style: 1_000 * of('RecalcStyleDuration'),
      nodes: of('Nodes'),
    };
  }

  /** Bytes of the heap that are in use, after what is not was collected. */
  async heapBytes(): Promise<number> {
    await this.#devtools.send('HeapProfiler.enable');
    await this.#devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#devtools.send('Runtime.getHeapUsage');
    return usedSize;
  }

  noticed(): Promise<Noticed> {
    return this.page.evaluate('({ shift: bench.shift, moved: bench.moved, cardsAt: bench.cardsAt })');
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
