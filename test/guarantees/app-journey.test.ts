import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, NETWORKS, type Network } from '#domain/network.ts';
import { Chromium } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { keyboard, mouse, type Hands } from '#testing/hands.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const ZONE = 'Europe/Berlin';
const DAY_MS = 86_400_000;
const IMPORTED = 200;
const env = { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' };

let crier: CrierUnderTest;
let chromium: Chromium;
beforeAll(async () => {
  execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: ROOT });
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'app-journey', env }), Chromium.start()]);
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
});

const button = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const fixture = (name: string) => resolve(ROOT, 'libs/testing/fixtures', name);
const nameOf = (network: Network) => factsOf(network).displayName;

/** The day after today, in the zone of the person. By the server's clock, which the first journey has moved. */
async function tomorrow(): Promise<string> {
  const { now } = await crier.admin().call('system.status');
  return new Date(Date.parse(now) + DAY_MS).toLocaleDateString('sv-SE', { timeZone: ZONE });
}

test.each([
  ['by mouse', 'ada', mouse],
  ['by keyboard alone', 'grace', keyboard],
])('an agency’s first day, from signing up to reading the audit, %s', async (_how, name, handsOf) => {
  const { ready } = crier;
  const date = await tomorrow();
  await chromium.withTab(
    async (tab) => {
      const hands = handsOf(tab.page);
      await signUp(hands, `${name}@example.com`);
      await connectAll(hands, name);
      await takeLargerPlan(hands);
      const postId = await compose(hands, { name, date });
      await importPosts(hands, { name, date });
      await seePublished(hands, { date });
      await retryFailed(hands, postId);
      await makeAndRevokeKey(hands);
      await readAudit(hands, name);
      expect(tab.complaints.filter((each) => !each.includes('/favicon.ico'))).toEqual([]);
    },
    { timezoneId: ZONE, locale: 'en-GB', baseURL: ready.baseUrl! },
  );
});

async function signUp(hands: Hands, email: string): Promise<void> {
  const { page } = hands;
  await page.goto('/app');
  await hands.write(page.getByRole('textbox', { name: 'E-mail address' }), email);
  await hands.press(button(page, 'Mail me a link'));
  await heading(page, 'Look into your mail');
  await expect
    .poll(async () => (await crier.sandbox().send('GET', `/sandbox/mail?to=${email}`)).body.messages.length)
    .toBe(1);
  await page.goto(`${crier.ready.sandboxUrl}/mail`);
  await hands.press(page.getByRole('link', { name: /\/sign-in\/links\// }).first());
  await hands.press(button(page, 'Sign in'));
  await heading(page, 'You are in no Workspace yet');
  await hands.write(page.getByRole('textbox', { name: 'Name of the Workspace' }), `House of ${email}`);
  await hands.write(page.getByRole('textbox', { name: 'Your name' }), 'Somebody New');
  await hands.press(button(page, 'Make the Workspace'));
  await heading(page, 'Channels');
}

/** Each at the page of its own that the Network shows. */
async function connectAll(hands: Hands, name: string): Promise<void> {
  const { page } = hands;
  for (const network of NETWORKS) {
    await hands.press(button(page, `Connect ${nameOf(network)}`));
    await hands.press(button(page, `Go on to ${nameOf(network)}`));
    await hands.write(page.getByRole('textbox', { name: /^Name of a new one/ }), `${name}-${network}`);
    await hands.press(button(page, 'Approve'));
    await heading(page, 'Channels');
    await page.getByRole('listitem', { name: `${name}-${network} on ${nameOf(network)}` }).waitFor();
  }
}

/** 200 Posts are more than the Plan of a new Workspace has, and Posts on X take credits. */
async function takeLargerPlan(hands: Hands): Promise<void> {
  const { page } = hands;
  await hands.goTo('Usage');
  await heading(page, 'Usage');
  await hands.press(button(page, 'Upgrade to Pro'));
  await hands.press(button(page.getByRole('dialog'), 'Change to Pro'));
  await page.getByText('The Plan is Pro now.').first().waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await hands.press(button(page, 'Add credits'));
  await page.getByText('100 credits were added.').first().waitFor();
}

interface Day {
  /** Of the person; Channels are called after it. */
  readonly name: string;
  /** The day for which Posts are scheduled. */
  readonly date: string;
}

/** A Post with two files on three Channels, one of which gets a text of its own. Returns its id. */
async function compose(hands: Hands, { name, date }: Day): Promise<string> {
  const { page } = hands;
  await hands.goTo('Compose');
  for (const network of ['instagram', 'x', 'threads'] as const)
    await hands.choose(page.getByRole('checkbox', { name: `${name}-${network}` }));
  await hands.write(page.getByRole('textbox', { name: 'Text', exact: true }), 'Tea is ready');
  await hands.open(page.getByRole('tab', { name: new RegExp(`${name}-instagram`) }));
  await hands.press(button(page, `Write another text for ${name}-instagram`));
  await hands.write(page.getByRole('textbox', { name: `Text for ${name}-instagram` }), 'Tea is ready #tea');
  await hands.attach(button(page, 'Choose files'), [fixture('photo.jpg'), fixture('photo-2.jpg')]);
  await button(page, 'Remove photo.jpg').waitFor();
  await button(page, 'Remove photo-2.jpg').waitFor();
  await hands.press(button(page, 'Move photo-2.jpg forward'));
  await hands.write(page.getByLabel('Date'), date);
  await hands.write(page.getByLabel(/^Time in/), '09:00');
  await page.getByText('Nothing stands against it.').waitFor();
  await hands.press(button(page, /^Schedule 3 Posts for .*09:00/));
  await page.waitForURL(/\/app\/posts\//);
  await page
    .getByRole('region', { name: / on Instagram, feed$/ })
    .getByText('Tea is ready #tea')
    .waitFor();
  expect(await page.getByText('Scheduled', { exact: true }).count()).toBe(3);
  return new URL(page.url()).pathname.split('/').at(-1)!;
}

/** Twenty a minute from 09:01, on facebook and threads in turn. */
function csvOf({ name, date }: Day): string {
  const rows = Array.from({ length: IMPORTED }, (_, index) => {
    const time = `09:${String(1 + Math.floor(index / 20)).padStart(2, '0')}`;
    return `Imported ${index + 1},${name}-${index % 2 === 0 ? 'facebook' : 'threads'},${date} ${time}`;
  });
  return ['text,channels,scheduled at', ...rows].join('\n');
}

async function importPosts(hands: Hands, day: Day): Promise<void> {
  const { page } = hands;
  await hands.goTo('Compose');
  await hands.press(page.getByRole('link', { name: 'Import Posts from a CSV file' }));
  await heading(page, 'Import Posts');
  const file = { name: 'week.csv', mimeType: 'text/csv', buffer: Buffer.from(csvOf(day)) };
  await hands.attach(button(page, 'Choose a CSV file'), file);
  await page.getByText(`${IMPORTED} ready, 0 to put right.`).waitFor();
  await hands.press(button(page, `Create ${IMPORTED} Posts`));
  await page.getByText(`${IMPORTED} created.`).waitFor();
  await hands.press(page.getByRole('link', { name: 'Open the calendar' }));
}

/** The day of the Posts is looked at before it comes, and as it passes. X refuses what it is given. */
async function seePublished(hands: Hands, { date }: Pick<Day, 'date'>): Promise<void> {
  const { page } = hands;
  const line = page.locator('.calendar-line-words');
  await heading(page, 'Calendar');
  await hands.press(page.getByRole('link', { name: 'Day', exact: true }));
  await hands.press(button(page, 'Next day'));
  await page.waitForURL(new RegExp(`date=${date}`));
  await line.filter({ hasText: new RegExp(`^${IMPORTED + 1} Posts`) }).waitFor();
  await hands.pick(button(page, 'Status'), page.getByRole('menuitemcheckbox', { name: 'Published' }));
  await line.filter({ hasText: `0 of ${IMPORTED + 1} Posts` }).waitFor();
  await page.keyboard.press('Escape');
  await crier
    .sandbox()
    .fault({ network: 'x', fault: 'account_restricted', call: 'tweets.create', reason: 'automated' });
  await passUntil(page, `${date}T09:15`);
  await line.filter({ hasText: new RegExp(`^${IMPORTED + 1} Posts`) }).waitFor();
}

/** Lets time pass until the clock of the person shows this time. */
async function passUntil(page: Page, time: string): Promise<void> {
  const at = await page.evaluate((wall) => Date.parse(wall), time);
  const { now } = await crier.admin().call('system.status');
  await crier.admin().advance(at - Date.parse(now));
}

async function retryFailed(hands: Hands, postId: string): Promise<void> {
  const { page } = hands;
  await hands.press(page.getByRole('link', { name: '1 failed since you looked' }));
  await hands.press(page.getByRole('link', { name: /^Tea is ready/ }));
  const panel = page.getByRole('complementary', { name: 'Post', exact: true });
  const x = panel.getByRole('region', { name: / on X$/ });
  await x.getByText('This request looks like it might be automated').first().waitFor();
  expect(page.url()).toContain(postId);
  await hands.press(button(x, /^Retry/));
  await x.getByText('Published', { exact: true }).waitFor();
  await x.getByRole('link', { name: /^Open it on X/ }).waitFor();
}

async function makeAndRevokeKey(hands: Hands): Promise<void> {
  const { page } = hands;
  await hands.goTo('API keys');
  await heading(page, 'API keys');
  await hands.press(button(page, 'Create a key'));
  await hands.write(page.getByRole('textbox', { name: 'Name' }), 'nightly import');
  await hands.press(button(page, 'Create the key'));
  await hands.press(button(page, 'I have kept it'));
  await hands.press(button(page, 'Revoke nightly import'));
  await hands.press(button(page.getByRole('alertdialog'), 'Revoke'));
  await page.getByText('The key was revoked.').first().waitFor();
}

async function readAudit(hands: Hands, name: string): Promise<void> {
  const { page } = hands;
  await hands.goTo('Audit');
  const audit = page.getByRole('table', { name: 'Audit' });
  const told = async (group: string, ...deeds: readonly RegExp[]) => {
    await hands.pick(button(page, /What$/), page.getByRole('option', { name: group }));
    for (const deed of deeds) await audit.getByRole('row', { name: deed }).first().waitFor();
  };
  await audit.getByRole('row', { name: /revoked the API key nightly import/ }).waitFor();
  await told('Keys and apps', /created the API key nightly import/, /revoked the API key nightly import/);
  await told('Posts', /retried the Post Tea is ready/, /made the Post Imported 200/);
  await told('Channels', ...NETWORKS.map((network) => new RegExp(`connected the Channel ${name}-${network}`)));
  expect(
    await audit
      .getByRole('row', { name: /connected the Channel/ })
      .first()
      .innerText(),
  ).toContain('Somebody New');
}
