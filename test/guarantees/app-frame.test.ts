import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chromium, NARROW, type ChromiumTab } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let crier: CrierUnderTest;
let chromium: Chromium;
let cookies: Awaited<ReturnType<ChromiumTab['cookies']>>;
beforeAll(async () => {
  execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: ROOT });
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'app-frame' }), Chromium.start()]);
  cookies = await chromium.withTab(async (tab) => {
    await tab.signIn(crier.ready.demo!.signInUrl!);
    return tab.cookies();
  });
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
});

/** A tab of the demo's owner at a page of the app. */
function atPage(path: string, use: (tab: ChromiumTab) => Promise<void>, options = {}): Promise<void> {
  return chromium.withTab(
    async (tab) => {
      await tab.page.goto(`${crier.ready.baseUrl}/app${path}`);
      await tab.page.getByRole('heading', { level: 1 }).waitFor();
      await use(tab);
      // Whoever is offline is told so by the browser, too.
      expect(tab.complaints.filter((each) => !each.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    },
    { storageState: { cookies, origins: [] }, ...options },
  );
}

async function openPage(tab: ChromiumTab, name: string): Promise<void> {
  await tab.page.getByRole('heading', { name, level: 1 }).waitFor();
}

describe('what is around every page', () => {
  test('pages open without a request to elsewhere and without anything that the policy forbids', async () => {
    await atPage('/calendar', async (tab) => {
      const pages = tab.page.getByRole('navigation', { name: 'Pages' });
      for (const name of ['Channels', 'Members', 'Webhooks', 'Settings', 'Calendar']) {
        await pages.getByRole('link', { name, exact: true }).click();
        await openPage(tab, name);
        await expect.poll(() => tab.page.title()).toBe(`${name} · Crier`);
        expect(await tab.page.evaluate('document.activeElement?.textContent')).toBe(name);
      }
    });
  });

  test('every address names the Workspace, and one of another Workspace says so', async () => {
    await atPage('/settings', async (tab) => {
      await tab.page.waitForURL(new RegExp(`workspace=${crier.ready.demo!.workspaceId}`));
    });
    await atPage('/settings?workspace=0192f0c1-0000-7000-8000-000000000000', async (tab) => {
      await openPage(tab, 'You are not in that Workspace');
      await tab.page.getByRole('link', { name: 'Demo' }).click();
      await openPage(tab, 'Calendar');
    });
  });

  test('a page that is not there says so, and the frame stays', async () => {
    await atPage('/no/such/page', async (tab) => {
      await openPage(tab, 'There is no such page');
      await tab.page.getByRole('link', { name: 'Open the calendar' }).click();
      await openPage(tab, 'Calendar');
    });
  });

  test('narrow, the pages are behind a button that Escape and a choice close', async () => {
    await atPage(
      '/settings',
      async ({ page }) => {
        const button = page.getByRole('button', { name: 'Pages' });
        const link = page.getByRole('link', { name: 'Members' });
        await button.click();
        await link.waitFor();
        await page.keyboard.press('Escape');
        await link.waitFor({ state: 'hidden' });
        await button.click();
        await link.click();
        await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
        await link.waitFor({ state: 'hidden' });
      },
      { viewport: NARROW },
    );
  });
});

describe('by keyboard alone', () => {
  test('the first stop skips to the page', async () => {
    await atPage('/settings', async ({ page }) => {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the page');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement?.id')).toBe('content');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement?.closest('main')?.id`)).toBe('content');
    });
  });

  test('the command menu goes where a few letters say, and the focus goes along', async () => {
    await atPage('/settings', async (tab) => {
      await tab.page.keyboard.press('Control+k');
      await tab.page.getByRole('dialog', { name: 'Command menu' }).waitFor();
      await tab.page.keyboard.type('memb');
      await tab.page.getByRole('menuitem').first().waitFor();
      await tab.page.keyboard.press('ArrowDown');
      await tab.page.keyboard.press('Enter');
      await openPage(tab, 'Members');
      expect(await tab.page.getByRole('dialog').count()).toBe(0);
    });
  });

  test('g and a letter go to pages; the sheet names every key; in a field letters are letters', async () => {
    await atPage('/settings', async (tab) => {
      const { page } = tab;
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Calendar').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('textbox', { name: 'Name of the Workspace' }).fill('');
      await page.keyboard.type('g c?');
      expect(await page.getByRole('textbox', { name: 'Name of the Workspace' }).inputValue()).toBe('g c?');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.type('gw');
      await openPage(tab, 'Webhooks');
    });
  });

  test('single keys that are switched off do nothing, and those with Ctrl still do', async () => {
    await atPage('/settings', async (tab) => {
      const { page } = tab;
      await page.getByRole('switch', { name: 'Shortcuts of single keys' }).press('Space');
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.type('?gwc');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Command menu' }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(1);
      expect(page.url()).toContain('/app/settings');
    });
  });
});

describe('what a person chooses', () => {
  test('a theme holds against that of the system, and over a reload', async () => {
    await atPage(
      '/settings',
      async ({ page }) => {
        const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
        await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
        expect(await scheme()).toBe('dark');
        await page.reload();
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await scheme()).toBe('dark');
      },
      { colorScheme: 'light' },
    );
  });
});

describe('when something is missing', () => {
  test('without a network the page says so and stays; with it again, the words go', async () => {
    await atPage('/settings', async ({ page }) => {
      await page.context().setOffline(true);
      await page.getByText('You are offline.').waitFor();
      await page.context().setOffline(false);
      await page.getByText('You are offline.').waitFor({ state: 'detached' });
    });
  });

  test('a session that ended leads to signing in, and from there back to the same address', async () => {
    await chromium.withTab(
      async (tab) => {
        await tab.page.goto(`${crier.ready.baseUrl}/app/settings`);
        await tab.page.getByRole('heading', { name: 'Settings' }).waitFor();
        await tab.page.getByRole('textbox', { name: 'Name of the Workspace' }).fill('Another name');
        await tab.page.context().clearCookies();
        // The page looks every five seconds whether the session goes on, and may find out before the button is there to
        // be clicked.
        void tab.page
          .getByRole('button', { name: 'Rename' })
          .click()
          .catch(() => {});
        await openPage(tab, 'You are signed out');
        const href = await tab.page.getByRole('link', { name: 'Sign in' }).getAttribute('href');
        expect(href).toMatch(/^\/sign-in\?return_to=%2Fapp%2Fsettings/);
        expect(await tab.accessibilityProblems()).toEqual([]);
      },
      { storageState: { cookies, origins: [] } },
    );
  });

  test('an account in no Workspace makes one, and is in it', async () => {
    const email = 'new@example.com';
    await chromium.withTab(async (tab) => {
      const { page } = tab;
      await page.goto(`${crier.ready.baseUrl}/app/channels`);
      await page.getByRole('textbox').fill(email);
      await page.getByRole('button').click();
      await page.goto(await mailedLink(email));
      await page.getByRole('button', { name: /^Sign in/ }).click();
      await openPage(tab, 'You are in no Workspace yet');
      expect(await tab.accessibilityProblems()).toEqual([]);
      await page.getByRole('textbox', { name: 'Name of the Workspace' }).fill('Tea House');
      await page.getByRole('button', { name: 'Make the Workspace' }).click();
      await openPage(tab, 'Channels');
      await page.getByRole('button', { name: 'Tea House, switch Workspace' }).waitFor();
      expect(tab.complaints).toEqual([]);
    });
  });
});

test('the first page loads at most 250 kB of script, compressed, of a build for production', () => {
  const built = resolve(ROOT, '.cache/app');
  const html = readFileSync(resolve(built, 'index.html'), 'utf8');
  const scripts = [...html.matchAll(/"\.\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name!);
  const calendar = readdirSync(resolve(built, 'assets')).filter((name) => /^calendar-page-.*\.js$/.test(name));
  const names = [...scripts, ...calendar.map((name) => `assets/${name}`)];
  const bytes = names.map((name) => {
    const compressed = resolve(built, `${name}.br`);
    return statSync(existsSync(compressed) ? compressed : resolve(built, name)).size;
  });
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(250_000);
  // React's other build is three times as slow, and says its errors in full.
  const texts = names.map((name) => readFileSync(resolve(built, name), 'utf8'));
  expect(texts.some((text) => text.includes('Minified React error'))).toBe(true);
  // Else each of their functions is compiled when it is called, before anything can be painted.
  const large = texts.filter((text) => text.length > 1_000);
  expect(large.map((text) => text.slice(0, text.indexOf('\n')))).toEqual(
    large.map(() => '//# allFunctionsCalledOnLoad'),
  );
});

async function mailedLink(address: string): Promise<string> {
  const mailbox = `${crier.ready.sandboxUrl}/sandbox/mail?to=${encodeURIComponent(address)}`;
  const text = await until(
    async () => {
      const { messages } = (await (await fetch(mailbox)).json()) as { messages: { text: string }[] };
      return messages.at(-1)?.text ?? null;
    },
    { what: `mail to ${address}` },
  );
  return /http\S+\/sign-in\/links\/\S+/.exec(text)![0];
}
