import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inheritedEnvironment } from './engines/environment.ts';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Cookie,
  type Page,
} from 'playwright-core';

export interface ChromiumTabOptions extends BrowserContextOptions {
  /** Of the person's system. Default: light. */
  readonly colorScheme?: 'light' | 'dark';
}

/** Widths that the app is looked at with. */
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 360, height: 740 };

/** How long an action waits for what it is about. */
const ACTION_MS = 60_000;
const WCAG_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * One real Chromium for a file of tests: `/usr/bin/chromium`, or what CHROMIUM_PATH names. Each tab has cookies and
 * storage of its own.
 */
export class Chromium {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<Chromium> {
    const executablePath = inheritedEnvironment()['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
    // As root Chromium has no sandbox of its own; /dev/shm is small in containers.
    const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
    // Fields of dates are in the language of the browser, whatever that of a tab is.
    const env = { ...inheritedEnvironment(), LANGUAGE: 'en_US' };
    return new Chromium(await chromium.launch({ executablePath, args, env }));
  }

  /**
   * Opens a tab and hands it to `use`. When that fails, the error names a picture of the page and what the page
   * complained of. With CHROMIUM_TRACE=1 it also names a trace (`npx playwright-core show-trace`): to keep the whole
   * page at each step of a test takes longer than the test.
   */
  async withTab<Outcome>(
    use: (tab: ChromiumTab) => Promise<Outcome>,
    options: ChromiumTabOptions = {},
  ): Promise<Outcome> {
    const context = await this.#browser.newContext({ viewport: WIDE, ...options });
    const isTraced = inheritedEnvironment()['CHROMIUM_TRACE'] === '1';
    if (isTraced) await context.tracing.start({ snapshots: true });
    context.setDefaultTimeout(ACTION_MS);
    const tab = new ChromiumTab(await context.newPage());
    try {
      return await use(tab);
    } catch (error) {
      throw new Error(await describeFailure(tab, isTraced ? context : null, error), { cause: error });
    } finally {
      // A handler of a route that still waits for its answer would fail after its test has ended.
      await tab.page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#browser.close();
  }
}

/** A page of the app, and what went wrong inside it. */
export class ChromiumTab {
  readonly page: Page;
  /** Errors of scripts, words of the console, refusals by the content security policy, requests to other hosts. */
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`${message.text()} (${message.location().url})`);
    });
    // Choosers are caught from the start: a key that is pressed right after the first listener may be quicker than it.
    page.on('filechooser', () => {});
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      const here = page.url() === 'about:blank' ? host : new URL(page.url()).host;
      if (/^https?:$/.test(protocol) && host !== here && !request.isNavigationRequest())
        this.complaints.push(`a request went to ${request.url()}`);
    });
  }

  /** What axe finds against WCAG 2.2 A and AA on the page as it is now, a line each. Default of `rules`: all. */
  async accessibilityProblems(rules: readonly string[] = [], within = 'html'): Promise<readonly string[]> {
    if (!(await this.page.evaluate<boolean>('"axe" in window'))) await this.page.evaluate(axe.source);
    const { violations } = await this.page.evaluate<AxeResults, Audit>(runAxe, {
      // React Aria keeps what readers were told for some seconds, by the id of a button that may be gone.
      context: { include: [within], exclude: ['[data-live-announcer]'] },
      options: {
        runOnly: rules.length === 0 ? { type: 'tag', values: WCAG_TAGS } : { type: 'rule', values: [...rules] },
        resultTypes: ['violations'],
      },
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ''}`),
    );
  }

  /** For `storageState` of other tabs, so that they are signed in as this one is. */
  cookies(): Promise<Cookie[]> {
    return this.page.context().cookies();
  }

  /** Follows the sandbox's demo link, which signs in and ends at the app. */
  async signIn(link: string): Promise<void> {
    await this.page.goto(link);
    await this.page.getByRole('button', { name: /^Sign in/ }).click();
    await this.page.waitForURL(/\/app/);
  }
}

interface Audit {
  readonly context: { readonly include: string[]; readonly exclude: string[] };
  readonly options: RunOptions;
}

/** Runs inside of a page, which has no frames. */
function runAxe({ context, options }: Audit): Promise<AxeResults> {
  return (globalThis as any).axe.run(context, options);
}

/** `traced`: null where nothing was traced. */
async function describeFailure(tab: ChromiumTab, traced: BrowserContext | null, error: unknown): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-chromium-'));
  const [trace, picture] = [join(folder, 'trace.zip'), join(folder, 'page.png')];
  await tab.page.screenshot({ path: picture }).catch(() => {});
  await traced?.tracing.stop({ path: trace }).catch(() => {});
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const complaints = tab.complaints.length === 0 ? 'nothing' : tab.complaints.join('\n    ');
  const kept = traced === null ? picture : `${picture}, trace ${trace}`;
  return `${words}\n  at ${tab.page.url()}, picture ${kept}\n  the page complained of: ${complaints}`;
}
