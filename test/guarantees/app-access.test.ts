import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FileChooser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chromium, type ChromiumTab } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { layoutFaults, movingParts, planted, sameLooks, undirectedTexts } from '#testing/page-faults.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { authorizePath, doorsOf, mailedLink, registered } from './authorized-app.ts';
import {
  APP,
  ARABIC,
  browserLike,
  furnishHostile,
  HEBREW,
  LONG,
  PILED,
  SCRIPT,
  type HostileWorkspace,
} from './hostile-workspace.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
/** What 400 % leaves of a screen of 1280 by 1024. */
const ENLARGED = { width: 320, height: 256 };
const CONTRAST = ['color-contrast', 'link-in-text-block'];
/** What may scroll to both sides: hours and days beside each other have a meaning. */
const GRID = '.post-grid, .import-table, pre';
const PATIENCE_MS = 300_000;

let crier: CrierUnderTest;
let chromium: Chromium;
let trusted: TrustedReceiver;
let cookies: Awaited<ReturnType<ChromiumTab['cookies']>>;
let hostile: HostileWorkspace;
let consentPath: string;
let invitationPath: string;
beforeAll(async () => {
  execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: ROOT });
  trusted = await startTrustedReceiver();
  const env = { ...trusted.settings, CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' };
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'app-access', env }), Chromium.start()]);
  const owner = await chromium.withTab(async (tab) => {
    await tab.signIn(crier.ready.demo!.signInUrl!);
    cookies = await tab.cookies();
    return browserLike(tab, crier.ready.baseUrl!);
  });
  hostile = await furnishHostile(crier, trusted, owner);
  const doors = doorsOf(crier);
  const clientId = await registered(doors.app, { client_name: APP });
  consentPath = authorizePath(doors, { clientId }).path;
  const { workspaceId } = crier.ready.demo!;
  await crier.admin().call('members.invite', { workspaceId, email: 'guest@example.test', name: ARABIC });
  invitationPath = await mailedLink(doors, 'guest@example.test');
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
  await trusted?.[Symbol.asyncDispose]();
});

interface Walked {
  readonly path: () => string;
  readonly isSignedOut?: boolean;
  /** Texts of strangers that it shows. */
  readonly shows?: readonly string[];
  /** From there: what is looked at besides. */
  readonly then?: readonly Step[];
}

/** Opens something; `within` it are the parts that were not looked at before. */
type Step = ((page: Page) => Promise<unknown>) & { readonly within?: string };

const calendar = (view: string): Walked => ({
  path: () => `/app/calendar?view=${view}&date=${hostile.date}`,
  shows: [SCRIPT.slice(0, 20), ARABIC],
});

async function opensDialog(page: Page, button: string | RegExp, dialog?: string): Promise<void> {
  await page.getByRole('button', { name: button }).first().click();
  await page.getByRole('dialog', dialog === undefined ? {} : { name: dialog }).waitFor();
}

async function choosesFile(page: Page, button: string | RegExp, file: Parameters<FileChooser['setFiles']>[0]) {
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).click();
  await (await chosen).setFiles(file);
}

const NETWORKS = ['X', 'Threads', 'YouTube', 'Instagram', 'Facebook', 'TikTok'];
const REEL = Buffer.from(MEDIA_FIXTURES.reel.bytes);

function optionsOf(network: string): Step {
  const open = (page: Page) => page.getByRole('tab', { name: network }).click();
  return Object.assign(open, { within: '.tabs' });
}

const PAGES: Readonly<Record<string, Walked>> = {
  'the calendar by month': calendar('month'),
  'the calendar by week': {
    ...calendar('week'),
    then: [
      async (page) => {
        await page
          .getByRole('link', { name: SCRIPT.slice(0, 20) })
          .first()
          .press('Enter');
        await page.getByRole('complementary', { name: 'Post', exact: true }).getByText(SCRIPT).first().waitFor();
      },
    ],
  },
  'the calendar by day': calendar('day'),
  'the calendar as a list': calendar('list'),
  'a Post that failed': { path: () => `/app/posts/${hostile.postId}`, shows: [SCRIPT] },
  'a Post of one long word': { path: () => `/app/posts/${hostile.longPostId}`, shows: [LONG, ARABIC] },
  composer: {
    path: () => '/app/compose',
    then: [
      async (page) => {
        for (const network of NETWORKS)
          await page
            .getByRole('group', { name: network, exact: true })
            .getByRole('checkbox', { name: /^Demo/ })
            .check({ force: true });
        await page.getByRole('textbox', { name: 'Text', exact: true }).fill(SCRIPT + LONG);
        await choosesFile(page, 'Choose files', { name: `${SCRIPT}.mp4`, mimeType: 'video/mp4', buffer: REEL });
        await page.getByRole('button', { name: /^Remove/ }).waitFor();
      },
      ...NETWORKS.map(optionsOf),
      async (page) => {
        await page.setViewportSize(NARROW);
        await page.getByRole('tab', { name: 'Preview' }).click();
        await page
          .getByRole('figure')
          .nth(NETWORKS.length - 1)
          .waitFor();
      },
    ],
  },
  import: {
    path: () => '/app/compose/import',
    then: [
      async (page) => {
        const quoted = `"${SCRIPT.replaceAll('"', '""')}"`;
        const rows = ['text,channels,scheduled at', `${quoted},${quoted},2027-03-02 09:00`, `${LONG},x,${ARABIC}`];
        const buffer = Buffer.from(rows.join('\n'));
        await choosesFile(page, /^Choose a CSV/, { name: `${ARABIC}<img src=x>.csv`, mimeType: 'text/csv', buffer });
        await page.getByText('0 ready, 2 to put right.').waitFor();
      },
    ],
  },
  channels: {
    path: () => '/app/channels',
    shows: [SCRIPT.slice(0, 100), ARABIC, LONG.slice(0, 100), PILED],
    then: [(page) => opensDialog(page, /^Defaults of Z/)],
  },
  keys: {
    path: () => '/app/keys',
    shows: [SCRIPT, LONG, ARABIC, PILED],
    then: [(page) => opensDialog(page, 'Create a key')],
  },
  apps: { path: () => '/app/apps', shows: [APP, ARABIC] },
  webhooks: {
    path: () => '/app/webhooks',
    then: [(page) => opensDialog(page, /^Look at/, 'Delivery')],
  },
  members: {
    path: () => '/app/members',
    shows: [SCRIPT, LONG, ARABIC, HEBREW, PILED],
    then: [(page) => opensDialog(page, 'Invite somebody')],
  },
  usage: { path: () => '/app/usage' },
  audit: { path: () => '/app/audit', shows: [SCRIPT, LONG, ARABIC, PILED] },
  settings: {
    path: () => '/app/settings',
    shows: [SCRIPT],
    then: [
      async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog', { name: 'Command menu' }).waitFor();
      },
      async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      },
      async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: /switch Workspace/ }).click();
        await page.getByRole('menu').waitFor();
      },
    ],
  },
  'the account': { path: () => '/account', shows: [SCRIPT] },
  'signing in': { path: () => '/sign-in?return_to=/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E', isSignedOut: true },
  'an invitation': { path: () => invitationPath, shows: [SCRIPT], isSignedOut: true },
  consent: { path: () => consentPath, shows: [APP, SCRIPT] },
  'no such page': { path: () => '/app/<img src=x onerror=alert(1)>?view="><script>alert(1)</script>' },
};

type Say = (where: string, faults: readonly string[]) => void;

/** A page that was just opened, in every look; and what is to say against it. */
async function lookAt(tab: ChromiumTab, say: Say): Promise<void> {
  const { page } = tab;
  await page.emulateMedia({ colorScheme: 'light' });
  say('light, wide', await tab.accessibilityProblems());
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  say('dark, wide', await tab.accessibilityProblems(CONTRAST));
  say('moves', await page.evaluate(movingParts));
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: 'light' });
  say('light, narrow', await tab.accessibilityProblems(CONTRAST));
  await glanceAt(tab, say);
}

/** What was opened on it, once more as narrow and dark: it is made of the same parts as what was looked at before. */
async function glanceAt(tab: ChromiumTab, say: Say, within?: string): Promise<void> {
  const { page } = tab;
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: 'dark' });
  // What is half under the frame would seem too small to be touched.
  await page.evaluate('scrollTo(0, 0)');
  say('dark, narrow', await tab.accessibilityProblems([], within));
  say('planted', await page.evaluate(planted));
  say('no direction', await page.evaluate(undirectedTexts));
  await page.setViewportSize(ENLARGED);
  say('at 400 %', await page.evaluate(layoutFaults, GRID));
  await page.setViewportSize(WIDE);
}

async function isRead(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page
    .getByText(/^Loading/)
    .first()
    .waitFor({ state: 'detached' });
}

describe.each(Object.keys(PAGES))('%s', (name) => {
  test(
    'is open to everybody in every look, and runs nothing that strangers wrote',
    async () => {
      const { path, isSignedOut = false, shows = [], then = [] } = PAGES[name]!;
      const found: string[] = [];
      await chromium.withTab(
        async (tab) => {
          const { page } = tab;
          page.on('dialog', (dialog) => {
            found.push(`a dialog opened: ${dialog.message()}`);
            void dialog.dismiss();
          });
          const answer = await page.goto(crier.ready.baseUrl! + path());
          const { 'content-security-policy': policy, 'x-frame-options': frames } = answer!.headers();
          expect([policy, frames]).toEqual([expect.stringContaining("frame-ancestors 'none'"), 'DENY']);
          await isRead(page);
          for (const text of shows) await page.getByText(text).first().waitFor({ state: 'attached' });
          const say: Say = (where, faults) => found.push(...faults.map((fault) => `${where}: ${fault}`));
          await lookAt(tab, say);
          for (const step of then) {
            await step(page);
            await glanceAt(tab, say, step.within);
          }
          expect([...new Set(found)]).toEqual([]);
          expect(tab.complaints).toEqual([]);
        },
        { storageState: { cookies: isSignedOut ? [] : cookies, origins: [] }, viewport: WIDE },
      );
    },
    PATIENCE_MS,
  );
});

test('every address of the app is walked here', () => {
  const routes = readFileSync(resolve(ROOT, 'clients/app/routes.tsx'), 'utf8');
  const addresses = [...routes.matchAll(/path: '(\/[^']+)'/g)].map(([, path]) => path!);
  const walked = Object.values(PAGES).map(({ path }) => path().split('?')[0]!);
  const missed = addresses.filter((address) => {
    const pattern = new RegExp(`^/app${address.replace(/\$\w+/, '[^/]+')}$`);
    return !walked.some((path) => pattern.test(path));
  });
  expect([addresses.length > 10, missed]).toEqual([true, []]);
});

test.each([
  ...['/', '/sign-in', '/sign-in/links/none', '/account', '/sign-out', '/connect/x/start', '/connect/x/callback'],
  ...['/oauth/authorize', '/oauth/consent/none', '/developers', '/developers/reference', '/developers/errors/none'],
  ...['/app', '/app/trpc/none', '/app/assets/none.js', '/connect/facebook/data-deletion/none'],
])('%s, right or wrong, is in no frame', async (path) => {
  const answer = await fetch(crier.ready.baseUrl! + path, { redirect: 'manual' });
  const [type, policy, frames] = ['content-type', 'content-security-policy', 'x-frame-options'].map((name) =>
    answer.headers.get(name),
  );
  // Only a page shows anything inside of a frame.
  if (type?.startsWith('text/html'))
    expect([policy, frames]).toEqual([expect.stringContaining("frame-ancestors 'none'"), 'DENY']);
  else expect(type ?? 'nothing').toMatch(/json|nothing/);
});

const MADE_UP = encodeURIComponent(`"'><img src=x onerror=alert(1)><script>alert(2)</script>javascript:alert(3)`);
const ADDRESSES = [
  `calendar?view=${MADE_UP}&date=${MADE_UP}&channel=${MADE_UP}&network=${MADE_UP}&status=${MADE_UP}&via=${MADE_UP}`,
  `calendar?zone=${MADE_UP}&more=2026-99-99T99&post=${MADE_UP}#${MADE_UP}`,
  `posts/${MADE_UP}`,
  `compose?draft=${MADE_UP}&replace=${MADE_UP}&copy=${MADE_UP}&at=${MADE_UP}`,
  `channels?connected=${MADE_UP}`,
  `settings?workspace=${MADE_UP}&__proto__=${MADE_UP}`,
];

test('an address that somebody made up runs nothing, and every page says what it is', async () => {
  await chromium.withTab(
    async ({ page, complaints }) => {
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      for (const address of ADDRESSES) {
        await page.goto(`${crier.ready.baseUrl}/app/${address}`);
        await isRead(page);
        const title = await page.getByRole('heading', { level: 1 }).textContent();
        expect([address, title, await page.evaluate(planted)]).toEqual([
          ...[address, expect.not.stringContaining('stopped working'), []],
        ]);
      }
      // What is not there is answered 404, and the console says so.
      const others = complaints.filter((words) => !/responded with a status of 4\d\d/.test(words));
      expect([dialogs, others]).toEqual([[], []]);
    },
    { storageState: { cookies, origins: [] } },
  );
});

const WORDS_OF_NETWORKS: Readonly<Record<string, string>> = {
  failureDetail: SCRIPT,
  detail: SCRIPT,
  permalink: 'javascript:alert(document.domain)',
};

test('what a Network says is text, and its addresses are links only where they are of the web', async () => {
  await chromium.withTab(
    async ({ page, complaints }) => {
      await page.route(/\/app\/trpc\/[^?]*(posts\.get|attempts)/, async (route) => {
        const response = await route.fetch();
        const said = JSON.parse(await response.text(), (key, value) =>
          typeof value === 'string' ? (WORDS_OF_NETWORKS[key] ?? value) : value,
        );
        await route.fulfill({ response, json: said });
      });
      await page.goto(`${crier.ready.baseUrl}/app/posts/${hostile.postId}`);
      const threads = page.getByRole('region', { name: / on Threads$/ });
      await threads.getByText(WORDS_OF_NETWORKS['permalink']!).first().waitFor();
      await page
        .getByRole('region', { name: / on X$/ })
        .getByText(SCRIPT)
        .first()
        .waitFor();
      expect([await threads.getByRole('link').count(), await page.evaluate(planted), complaints]).toEqual([0, [], []]);
    },
    { storageState: { cookies, origins: [] } },
  );
});

test('where the system chooses all colours, one sees what is chosen and where the focus is', async () => {
  await chromium.withTab(
    async ({ page }) => {
      await page.emulateMedia({ forcedColors: 'active' });
      await page.goto(`${crier.ready.baseUrl}/app/settings`);
      await page.getByRole('radio', { name: 'Dark' }).waitFor();
      // Through the frame and into the page: links, buttons, fields, switches and choices.
      const kinds = new Set<string>();
      for (let stops = 0; stops < 14; stops++) {
        if (stops === 6) await page.locator('#content').focus();
        await page.keyboard.press('Tab');
        kinds.add(await page.evaluate<string>('document.activeElement.type || document.activeElement.localName'));
        expect(await page.evaluate(sameLooks)).toEqual([]);
      }
      expect([...kinds]).toEqual(expect.arrayContaining(['a', 'button', 'text', 'checkbox', 'radio']));
    },
    { storageState: { cookies, origins: [] }, viewport: WIDE },
  );
});
