import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chromium, NARROW, WIDE, type ChromiumTab, type ChromiumTabOptions } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';

let crier: CrierUnderTest;
let chromium: Chromium;
beforeAll(async () => {
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'developers' }), Chromium.start()]);
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
});

/** Opens a page of the site. At the end no request may have gone elsewhere, and the page may not have complained. */
function onPage<Outcome>(
  path: string,
  use: (tab: ChromiumTab) => Promise<Outcome>,
  options: ChromiumTabOptions = {},
): Promise<Outcome> {
  return chromium.withTab(async (tab) => {
    const elsewhere: string[] = [];
    // A request to another host would be answered by nobody, and be noticed.
    await tab.page.route('**/*', (route) => {
      const isOwn = route.request().url().startsWith(`${crier.ready.baseUrl}/`);
      if (!isOwn) elsewhere.push(route.request().url());
      return isOwn ? route.continue() : route.abort();
    });
    await tab.page.goto(`${crier.ready.baseUrl}/developers${path}`);
    const outcome = await use(tab);
    // The console repeats each refused request; a form shows it, too.
    const complaints = tab.complaints.filter((words) => !words.includes('the server responded with a status of 4'));
    expect([elsewhere, complaints]).toEqual([[], []]);
    return outcome;
  }, options);
}

/** axe takes long for the many operations of the reference, the longer the more the machine has to do. */
const PATIENCE_MS = 120_000;

test.each([
  ['the guide, light and wide', ['', '/webhooks', '/errors/post_refused'], { viewport: WIDE, colorScheme: 'light' }],
  ['the reference, light and wide', ['/reference'], { viewport: WIDE, colorScheme: 'light' }],
  ['the guide, dark and narrow', [''], { viewport: NARROW, colorScheme: 'dark' }],
  ['the reference, dark and narrow', ['/reference'], { viewport: NARROW, colorScheme: 'dark' }],
] as const)(
  '%s, meets WCAG 2.2 AA, fits the width and does not move while it loads',
  (_look, paths, options) =>
    onPage(
      '/errors',
      async (tab) => {
        for (const path of paths) {
          await tab.page.goto(`${crier.ready.baseUrl}/developers${path}`);
          expect([path, await tab.accessibilityProblems()]).toEqual([path, []]);
          expect([path, await tab.page.evaluate(measure)]).toEqual([path, { tooWide: false, shift: 0 }]);
        }
      },
      options,
    ),
  PATIENCE_MS,
);

/** Runs in the page. */
function measure(): { readonly tooWide: boolean; readonly shift: number } {
  const { document, performance } = globalThis as any;
  const { scrollWidth, clientWidth } = document.documentElement;
  // Kept by the browser since the page began to load.
  const observer = new (globalThis as any).PerformanceObserver(() => {});
  observer.observe({ type: 'layout-shift', buffered: true });
  const shift = [...observer.takeRecords(), ...performance.getEntriesByType('layout-shift')].reduce(
    (sum: number, { value }: { value: number }) => sum + value,
    0,
  );
  return { tooWide: scrollWidth > clientWidth, shift };
}

const form = ({ page }: ChromiumTab, id: string) => page.getByRole('form', { name: `Try ${id}`, exact: true });

async function tryIt(tab: ChromiumTab, id: string): Promise<string> {
  const { page } = tab;
  const summary = page.locator(`#${id} .try > summary`);
  if (!(await form(tab, id).isVisible())) await summary.click();
  await form(tab, id).getByRole('button', { name: 'Send' }).click();
  await form(tab, id).getByRole('status').filter({ hasText: / ms$/ }).waitFor();
  return form(tab, id).innerText();
}

describe('trying requests', () => {
  test('sends a real request, shows its answer, and the next form has the ids of it', () =>
    onPage('/reference', async (tab) => {
      const { page } = tab;
      const { apiKey, channels } = crier.ready.demo!;
      await page.getByLabel('API key for trying requests').fill(apiKey);
      const listed = await tryIt(tab, 'list-channels');
      for (const part of ['200 OK in', channels['threads']!, 'ratelimit-remaining', 'Authorization: Bearer $CRIER_KEY'])
        expect(listed).toContain(part);
      expect(listed).not.toContain(apiKey);
      const created = await tryIt(tab, 'create-post');
      expect(created).toMatch(/201 Created in \d+ ms/);
      const id = /"id": "([\w-]+)"/.exec(created)![1]!;
      expect((await crier.api().getPost(id)).text).toBe('Fresh bread from seven on Saturday.');
      expect(await tryIt(tab, 'cancel-post')).toMatch(/200 OK[^]*"cancelled"/);
      expect(await tryIt(tab, 'cancel-post')).toMatch(
        /409 Conflict[^]*not_cancellable[^]*\/developers\/errors\/not_can/,
      );
    }));

  test('keeps the key in memory only', () =>
    onPage('/reference', async (tab) => {
      const { page } = tab;
      const { apiKey } = crier.ready.demo!;
      await page.getByLabel('API key for trying requests').fill(apiKey);
      await tryIt(tab, 'get-usage');
      expect(await page.context().storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });
      expect(page.url()).not.toContain(apiKey);
      await page.reload();
      expect(await page.getByLabel('API key for trying requests').inputValue()).toBe('');
    }));

  test('without a key says where to paste one, and sends nothing', () =>
    onPage('/reference', async (tab) => {
      const { page } = tab;
      await page.locator('#get-usage .try > summary').click();
      let requests = 0;
      page.on('request', () => (requests += 1));
      await form(tab, 'get-usage').getByRole('button', { name: 'Send' }).click();
      await form(tab, 'get-usage').getByText('Paste an API key').waitFor();
      expect([requests, await page.getByLabel('API key').evaluate((field) => field.matches(':focus'))]).toEqual([
        0,
        true,
      ]);
    }));
});

describe('by keyboard alone', () => {
  test('an operation is found, and opened by its own address', () =>
    onPage('', async ({ page }) => {
      await page.keyboard.press('/');
      await page.keyboard.type('cancel post');
      await page.getByText('1 found').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/developers\/reference#cancel-post$/);
      await page.getByRole('link', { name: 'Cancel post' }).first().waitFor();
      expect(
        await page.locator('#cancel-post').evaluate((section) => section.getBoundingClientRect().top),
      ).toBeLessThan(200);
      expect(await page.locator('nav [aria-current]').innerText()).toBe('Cancel post');
    }));

  test('the language of all examples is chosen, without a script too', () =>
    onPage('', async ({ page }) => {
      await page.getByRole('radio', { name: 'curl' }).first().focus();
      await page.keyboard.press('ArrowRight');
      const shown = page.locator('.code.typescript:visible');
      expect([await shown.count(), await page.locator('.code.bash:visible').count()]).toEqual([3, 0]);
      await page.keyboard.press('ArrowRight');
      expect(await page.locator('.code.python:visible').count()).toBe(3);
    }));

  test('the page list of a narrow screen opens and closes', () =>
    onPage(
      '/keys',
      async (tab) => {
        const { page } = tab;
        const menu = page.getByRole('button', { name: 'Menu' });
        expect(await page.getByRole('navigation').isVisible()).toBe(false);
        await menu.press('Enter');
        expect(await menu.getAttribute('aria-expanded')).toBe('true');
        expect(await tab.accessibilityProblems()).toEqual([]);
        await page.keyboard.type('webhook verif');
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Webhooks' }).press('Enter');
        await page.waitForURL(/\/webhooks$/);
      },
      { viewport: NARROW },
    ));
});

test('code is copied by a button', () =>
  onPage(
    '/keys',
    async ({ page }) => {
      await page.locator('.code.bash .copy').click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const copied: string = await page.evaluate(() => (globalThis as any).navigator.clipboard.readText());
      expect(copied).toContain(`curl --fail-with-body '${crier.ready.baseUrl}/api/usage'`);
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ));

test('without scripts everything can be read, and nothing that needs one is shown', () =>
  onPage(
    '/reference',
    async ({ page }) => {
      expect(await page.locator('#create-post').isVisible()).toBe(true);
      expect(await page.locator('.copy:visible, .try:visible, .key:visible, .filter:visible').count()).toBe(0);
      await page.locator('#create-post input[value=python]').check({ force: true });
      expect(await page.locator('#create-post .code.python').isVisible()).toBe(true);
    },
    { javaScriptEnabled: false, viewport: NARROW },
  ));

test('on paper the page has its text and examples, and no forms, buttons or lists of pages', () =>
  onPage('/reference', async ({ page }) => {
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('nav:visible, .copy:visible, .try:visible, .bar:visible').count()).toBe(0);
    expect(await page.locator('#create-post .code.bash').isVisible()).toBe(true);
  }));
