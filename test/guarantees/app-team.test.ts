import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chromium, type ChromiumTab } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

let crier: CrierUnderTest;
let chromium: Chromium;
let cookies: Awaited<ReturnType<ChromiumTab['cookies']>>;
beforeAll(async () => {
  execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: resolve(import.meta.dirname, '../..') });
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'app-team' }), Chromium.start()]);
  cookies = await chromium.withTab(async (tab) => {
    await tab.signIn(crier.ready.demo!.signInUrl!);
    return tab.cookies();
  });
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
});

const GRACE = 'grace@example.com';
const STEP_MS = 60_000;
const DAY_MS = 86_400_000;
const CREATE_KEY = /\/trpc\/keys\.create/;

const linkTo = (address: string): Promise<string> => {
  const mailbox = `${crier.ready.sandboxUrl}/sandbox/mail?to=${encodeURIComponent(address)}`;
  return until(
    async () => {
      const { messages } = (await (await fetch(mailbox)).json()) as { messages: { text: string }[] };
      return /http\S+\/sign-in\/links\/\S+/.exec(messages.at(-1)?.text ?? '')?.[0] ?? null;
    },
    { what: `mail to ${address}` },
  );
};

const open = async ({ page }: ChromiumTab, name: string): Promise<void> => {
  await page.goto(`${crier.ready.baseUrl}/app/${name}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};

/** A tab of the demo's owner. */
function asOwner(use: (tab: ChromiumTab) => Promise<void>): Promise<void> {
  return chromium.withTab(
    async (tab) => {
      tab.page.setDefaultTimeout(STEP_MS);
      await use(tab);
      expect(tab.complaints).toEqual([]);
    },
    { storageState: { cookies, origins: [] } },
  );
}

test('a key is shown once, works, shows as used, and is refused once it is revoked', () =>
  asOwner(keyIsMadeUsedAndRevoked));
test('a key whose answer was lost is not said not to be there', () => asOwner(answerOfKeyIsLost));
test('somebody is invited by mail, gets another role, and is removed; the last owner stays', () =>
  asOwner(memberIsInvitedChangedAndRemoved));
test('a Workspace is renamed, and plans in another zone in every browser', () => asOwner(workspaceIsRenamed));
test('a smaller Plan and a larger one are there at once; credits are added', () => asOwner(planIsChanged));
test('the audit says who did all that, from where, and can be filtered', () => asOwner(auditSaysIt));
test('the life of a new key is counted from the server’s clock', () => asOwner(lifeOfKeyIsCounted));
test('signing out everywhere ends this browser too', () => asOwner(sessionIsEnded));

async function answerOfKeyIsLost(tab: ChromiumTab): Promise<void> {
  const { page, complaints } = tab;
  await open(tab, 'keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('whose answer was lost');
  await page.route(CREATE_KEY, async (route) => {
    await route.fetch();
    return route.abort('connectionreset');
  });
  await page.getByRole('button', { name: 'Create the key' }).click();
  const words = await page.getByRole('dialog').getByRole('alert').textContent();
  expect(words).toContain('Nobody knows yet whether it was done.');
  expect(words).not.toContain('The key was not created.');
  await page.getByRole('button', { name: 'Cancel' }).click();
  // It can be seen that it is there, and revoked.
  await page.getByRole('button', { name: 'Revoke whose answer was lost' }).waitFor();
  // The browser's, of the connection.
  complaints.length = 0;
}

async function keyIsMadeUsedAndRevoked(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await open(tab, 'keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('nightly import');
  // An impatient hand sends it again while the server still works on it.
  const begun = Promise.withResolvers<Route>();
  const creates: string[] = [];
  await page.route(CREATE_KEY, (route) => {
    creates.push(route.request().url());
    begun.resolve(route);
    return creates.length === 1 ? undefined : route.continue();
  });
  await page.keyboard.press('Enter');
  const first = await begun.promise;
  await page.locator('button[data-pending]').waitFor();
  await page.keyboard.press('Enter');
  await first.continue();
  const shown = page.getByRole('dialog', { name: 'The key nightly import' });
  const [key] = /crier_[\w-]+/.exec(await shown.innerText())!;
  const use = () => fetch(`${crier.ready.baseUrl}/api/channels`, { headers: { Authorization: `Bearer ${key}` } });
  await shown.getByRole('button', { name: 'I have kept it' }).click();
  await page.unroute(CREATE_KEY);
  expect(creates).toHaveLength(1);
  const row = page.getByRole('row', { name: /nightly import/ });
  expect(await row.innerText()).toContain('Not yet');
  expect(await page.content()).not.toContain(key);
  expect((await use()).status).toBe(200);
  await until(
    async () => {
      await page.reload();
      return !(await row.innerText()).includes('Not yet');
    },
    { what: 'the use of the key is shown' },
  );
  await row.getByRole('button', { name: 'Revoke nightly import' }).click();
  const question = page.getByRole('alertdialog');
  expect(await question.innerText()).toMatch(/Webhook endpoints that were registered with it stop/);
  await question.getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  await until(async () => (await use()).status === 401, { what: 'the revoked key is refused' });
}

async function lifeOfKeyIsCounted(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await crier.admin().advance(3 * DAY_MS);
  await open(tab, 'keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('for a month');
  await page.getByRole('button', { name: /Expires$/ }).click();
  await page.getByRole('option', { name: 'In 30 days' }).click();
  const sent = page.waitForRequest(CREATE_KEY);
  await page.getByRole('button', { name: 'Create the key' }).click();
  const [, expiresAt] = /"expiresAt":"([^"]+)"/.exec((await sent).postData()!)!;
  await page.getByRole('button', { name: 'I have kept it' }).click();
  const days = (Date.parse(expiresAt!) - Date.now()) / DAY_MS;
  expect(Math.round(days)).toBe(33);
}

async function memberIsInvitedChangedAndRemoved(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await open(tab, 'members');
  await page.getByRole('button', { name: 'Leave' }).click();
  expect(await page.getByRole('dialog').innerText()).toContain('You are the last owner');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByRole('textbox', { name: 'E-mail' }).fill(GRACE);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Grace');
  await page.getByRole('radio', { name: /^Viewer/ }).check({ force: true });
  await page.getByRole('button', { name: 'Send the invitation' }).click();
  await page.getByRole('table', { name: 'Open invitations' }).getByText(GRACE).waitFor();
  const link = await linkTo(GRACE);
  await chromium.withTab(async (guest) => {
    guest.page.setDefaultTimeout(STEP_MS);
    await guest.page.goto(link);
    await guest.page.getByRole('button').first().click();
    await guest.page.waitForURL(/\/app/);
    await open(guest, 'keys');
    await guest.page.getByText('You are a viewer').waitFor();
    expect(await guest.page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
    await open(tab, 'members');
    await page.getByRole('button', { name: 'Change the role of Grace' }).click();
    await page.getByRole('radio', { name: /^Editor/ }).check({ force: true });
    await page.getByRole('button', { name: 'Make editor' }).click();
    await page.getByRole('row', { name: /Grace.*Editor/ }).waitFor();
    await open(guest, 'keys');
    await guest.page.getByRole('button', { name: 'Create a key' }).waitFor();
    await page.getByRole('button', { name: 'Remove Grace' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: /Grace/ }).waitFor({ state: 'detached' });
  });
}

async function workspaceIsRenamed(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await open(tab, 'settings');
  await page.getByRole('textbox', { name: 'Name of the Workspace' }).fill('Tea House');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByText('The Workspace is called Tea House now.').first().waitFor();
  await page.getByRole('button', { name: /Time zone of Tea House/ }).click();
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await page.getByText('Tea House plans in Asia/Tokyo now. No Post moved.').first().waitFor();
  await page.getByText(/and .*GMT\+9 in Asia\/Tokyo/).waitFor();
  await page.getByRole('button', { name: /Weeks begin on/ }).click();
  await page.getByRole('option', { name: 'Saturday' }).click();
  const band = page.getByRole('complementary', { name: 'Sandbox' });
  expect(await band.getByRole('link', { name: 'See what they show' }).getAttribute('href')).toBe(
    crier.ready.sandboxUrl,
  );
  const before = await crier.admin().call('system.status');
  await band.getByRole('button', { name: 'Let 15 minutes pass' }).click();
  await page
    .getByText(/15 minutes have passed\. It is .* now\./)
    .first()
    .waitFor();
  const after = await crier.admin().call('system.status');
  expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(15 * 60_000);
  // Another browser of the same person keeps nothing of this one but who is signed in.
  await asOwner(async (other) => {
    await open(other, 'settings');
    await other.page.getByRole('button', { name: /Asia\/Tokyo Time zone of Tea House/ }).waitFor();
    await other.page.getByRole('button', { name: /Monday Weeks begin on|Sunday Weeks begin on/ }).waitFor();
  });
  await open(tab, 'calendar');
  await page
    .getByText(/Asia\/Tokyo/)
    .first()
    .waitFor();
}

async function planIsChanged(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await open(tab, 'usage');
  await page.getByRole('progressbar', { name: 'Posts this month' }).waitFor();
  await page.getByRole('button', { name: 'Change to Pro' }).click();
  expect(await page.getByRole('dialog').innerText()).toMatch(/limits hold at once/);
  await page.getByRole('dialog').getByRole('button', { name: 'Change to Pro' }).click();
  await page.getByText('The Plan is Pro now.').first().waitFor();
  await page.getByRole('button', { name: 'Upgrade to Agency' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Agency/ })
    .click();
  await page.getByText('The Plan is Agency now.').first().waitFor();
  await page.getByRole('button', { name: 'Add credits' }).click();
  await page.getByText('100 credits were added.').first().waitFor();
}

async function auditSaysIt(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await open(tab, 'audit');
  const audit = page.getByRole('table', { name: 'Audit' });
  for (const said of [
    /renamed the Workspace to Tea House/,
    /set the time zone of Tea House/,
    /revoked the API key nightly import/,
    /changed the role of Grace/,
    /removed the Member Grace/,
  ])
    await audit.getByRole('row', { name: said }).first().waitFor();
  expect(await audit.getByRole('row', { name: /renamed the Workspace/ }).innerText()).toMatch(/in the app, from 127/);
  await page.getByRole('button', { name: /What/ }).click();
  await page.getByRole('option', { name: 'Keys and apps' }).click();
  await audit.getByRole('row', { name: /renamed the Workspace/ }).waitFor({ state: 'detached' });
  await audit.getByRole('row', { name: /revoked the API key nightly import/ }).waitFor();
}

async function sessionIsEnded(tab: ChromiumTab): Promise<void> {
  const { page } = tab;
  await open(tab, 'settings');
  await page
    .getByRole('table', { name: 'Browsers' })
    .getByRole('row', { name: /this browser/ })
    .waitFor();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.waitForURL(/\/sign-in/);
  await page.goto(`${crier.ready.baseUrl}/app/keys`);
  await page.waitForURL(/\/sign-in/);
}
