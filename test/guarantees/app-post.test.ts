import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chromium, type ChromiumTab } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { answer } from '#testing/misbehaving-receiver.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { fileOf, upload } from './media-files.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The pages of the Networks have no icon, which is nothing to the app. */
const SANDBOX_ICON = '/favicon.ico';

let crier: CrierUnderTest;
let chromium: Chromium;
let trusted: TrustedReceiver;
let cookies: Awaited<ReturnType<ChromiumTab['cookies']>>;
beforeAll(async () => {
  execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: ROOT });
  trusted = await startTrustedReceiver();
  [crier, chromium] = await Promise.all([
    CrierUnderTest.start({ name: 'app-post', env: { ...trusted.settings, CRIER_REQUESTS_PER_MINUTE: '0' } }),
    Chromium.start(),
  ]);
  cookies = await chromium.withTab(async (tab) => {
    await tab.signIn(crier.ready.demo!.signInUrl!);
    return tab.cookies();
  });
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
  await trusted?.[Symbol.asyncDispose]();
});

/** A tab of the demo's owner at a page of the app, which has nothing to complain of at its end. */
function atPage(path: string, use: (tab: ChromiumTab) => Promise<void>, options = {}): Promise<void> {
  return chromium.withTab(
    async (tab) => {
      await tab.page.goto(`${crier.ready.baseUrl}/app${path}`);
      await tab.page.getByRole('heading', { level: 1 }).waitFor();
      await use(tab);
      expect(tab.complaints.filter((complaint) => !complaint.includes(SANDBOX_ICON))).toEqual([]);
    },
    { storageState: { cookies, origins: [] }, ...options },
  );
}

/** A Post on x and threads that x refuses. */
async function failingPost(text: string): Promise<string> {
  const { channels } = crier.ready.demo!;
  await crier.sandbox().fault({
    ...{ network: 'x', fault: 'account_restricted', call: 'tweets.create', reason: 'automated' },
  });
  const { id } = await crier.api().createPost({ text, channelIds: [channels['x']!, channels['threads']!] });
  return id;
}

test('a Post that a Network refused says why in its words and in ours, and a retry publishes it', async () => {
  const postId = await failingPost('It is refused once');
  await atPage(`/posts/${postId}`, async ({ page }) => {
    const x = page.getByRole('region', { name: / on X$/ });
    await x.getByText('Failed', { exact: true }).waitFor();
    await x.getByText('This request looks like it might be automated').first().waitFor();
    await page
      .getByRole('region', { name: / on Threads$/ })
      .getByRole('link', { name: /^Open it on Threads/ })
      .waitFor();
    await x.getByRole('button', { name: /^Retry/ }).click();
    await x.getByText('Published', { exact: true }).waitFor();
    const link = x.getByRole('link', { name: /^Open it on X/ });
    const items = await crier.sandbox().items({ network: 'x' });
    expect(items.map(({ text }) => text)).toContain('It is refused once');
    expect(await link.getAttribute('href')).toContain('http');
    await x.getByText('2 attempts').click();
    await x.getByText('Handed over: it is live').waitFor();
  });
});

test('an address of a Post that is not there says so, and leads on', async () => {
  await atPage('/posts/01a20000-0000-7000-8000-000000000001', async ({ page, complaints }) => {
    await page.getByRole('heading', { name: 'This Post is not in this Workspace' }).waitFor();
    await page.getByRole('link', { name: 'Open the calendar' }).waitFor();
    // The browser itself says that a request was answered 404.
    complaints.length = 0;
  });
});

test('a scheduled Post is moved, and cancelled after it said which Variants', async () => {
  const { channels } = crier.ready.demo!;
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await crier.api().createPost({ text: 'It waits', channelIds: [channels['x']!], scheduledAt });
  await atPage(`/posts/${id}`, async ({ page }) => {
    await page.getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move the Post' });
    await dialog.getByLabel(/^New time/).fill('2026-01-05T09:30');
    await dialog.getByText('That time is over. Choose a later one.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Move', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^New time/).fill('2027-01-05T09:30');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page
      .getByText(/5 Jan 2027, 09:30/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Cancel/ }).click();
    const question = page.getByRole('alertdialog', { name: 'Cancel this Variant?' });
    await question
      .getByRole('listitem')
      .filter({ hasText: / on X$/ })
      .waitFor();
    await question.getByRole('button', { name: 'Cancel it' }).click();
    await page
      .getByRole('region', { name: / on X$/ })
      .getByText('Cancelled', { exact: true })
      .waitFor();
  });
});

test('a move that the server failed at, after it was done, is not said to have left the Post at its time', async () => {
  const { channels } = crier.ready.demo!;
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await crier.api().createPost({ text: 'It moves', channelIds: [channels['x']!], scheduledAt });
  await atPage(`/posts/${id}`, async ({ page, complaints }) => {
    const data = { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, path: 'posts.move' };
    let isFirst = true;
    await page.route('**/trpc/posts.move*', async (route) => {
      if (!isFirst) return route.continue();
      isFirst = false;
      await route.fetch();
      const error = { message: 'a defect', code: -32603, data };
      return route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify([{ error }]) });
    });
    await page.getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move the Post' });
    await dialog.getByLabel(/^New time/).fill('2027-01-05T10:30');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    expect(await dialog.getByRole('alert').textContent()).toContain('Nobody answered whether the Post was moved.');
    // Its key is the same, so it is moved once.
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    complaints.length = 0;
  });
});

test('a move whose dialog was left before its answer came is told, and leads nowhere', async () => {
  const { channels } = crier.ready.demo!;
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await crier.api().createPost({ text: 'It moves slowly', channelIds: [channels['x']!], scheduledAt });
  await atPage(`/posts/${id}`, async ({ page }) => {
    const { promise: answered, resolve: answerIt } = Promise.withResolvers<void>();
    const sent = page.waitForRequest('**/trpc/posts.move*');
    await page.route('**/trpc/posts.move*', async (route) => {
      await answered;
      return route.continue();
    });
    await page.getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move the Post' });
    await dialog.getByLabel(/^New time/).fill('2027-01-05T11:30');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await sent;
    await dialog.getByRole('button', { name: 'Keep its time' }).click();
    await dialog.waitFor({ state: 'detached' });
    answerIt();
    await page.getByText(/^The Post was moved to /).waitFor();
    expect(page.url()).toContain(`/app/posts/${id}`);
  });
});

test('a Member makes the addresses of files void: the file is shown by another one, and once it is live not any more', async () => {
  const { channels } = crier.ready.demo!;
  const photo = fileOf('image/jpeg', Buffer.from(MEDIA_FIXTURES.square.bytes));
  const made = async (fields: object): Promise<string> => {
    const media = [{ assetId: await upload(crier.api(), photo), altText: 'A square' }];
    return (await crier.api().createPost({ channelIds: [channels['x']!], media, ...fields })).id;
  };
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const [id, live] = [await made({ text: 'It waits with a file', scheduledAt }), await made({ text: 'Seen' })];
  await atPage(`/posts/${id}`, async ({ page }) => {
    const picture = page.getByRole('img', { name: 'A square' });
    const before = (await picture.getAttribute('src'))!;
    await page.getByRole('button', { name: 'Make file addresses void' }).click();
    const question = page.getByRole('alertdialog', { name: 'Make the addresses of its files void?' });
    await question.getByText('the files get new addresses until then').waitFor();
    await question.getByRole('button', { name: 'Make them void' }).click();
    await page.getByText('The addresses of its files are void.').waitFor();
    await until(async () => (await picture.getAttribute('src')) !== before, {
      what: 'the picture has another address',
    });
    await until(async () => (await fetch(before)).status === 404, { what: 'the former address is void' });
  });
  await atPage(`/posts/${live}`, async ({ page }) => {
    await page.getByText('Published', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Make file addresses void' }).click();
    const question = page.getByRole('alertdialog', { name: 'Make the addresses of its files void?' });
    await question.getByText('What is published stays published.').waitFor();
    await question.getByRole('button', { name: 'Make them void' }).click();
    await page.getByText('Picture 1 is not shown any more').waitFor();
    expect(await page.getByRole('button', { name: 'Make file addresses void' }).count()).toBe(0);
  });
});

test('a Channel is connected at the Network’s own page, gets defaults, and is disconnected', async () => {
  const { channels } = crier.ready.demo!;
  await atPage('/channels', async ({ page }) => {
    await page.getByRole('button', { name: 'Connect Threads' }).click();
    await page.getByRole('button', { name: 'Go on to Threads' }).click();
    await page.getByLabel(/^Name of a new one/).fill('Grace');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(/\/app\/channels/);
    const channel = page.getByRole('listitem', { name: /^Grace on Threads/ });
    await channel.getByText('Connected', { exact: true }).waitFor();
    expect(page.url()).not.toContain('connected=');

    await channel.getByRole('button', { name: /^Defaults/ }).click();
    const defaults = page.getByRole('dialog', { name: 'Defaults of Grace' });
    await defaults.getByLabel('Topic').fill('printing');
    await defaults.getByRole('button', { name: 'Save defaults' }).click();
    await channel.getByText('1 default').waitFor();

    const before = (await crier.api().channels()).filter(({ id }) => !Object.values(channels).includes(id));
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    await crier.api().createPost({ text: 'It will not go out', channelIds: [before[0]!.id], scheduledAt });
    await channel.getByRole('button', { name: /^Disconnect/ }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('It cancels 1 scheduled Variant, at once and for good.').waitFor();
    await question.getByRole('button', { name: 'Disconnect and cancel 1' }).click();
    await channel.waitFor({ state: 'detached' });
  });
});

test('who says no at the Network reads so, and is led back to the Channels', async () => {
  await atPage('/channels', async ({ page, complaints }) => {
    await page.getByRole('button', { name: 'Connect X', exact: true }).click();
    await page.getByRole('button', { name: 'Go on to X' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Not connected' }).waitFor();
    await page.getByRole('link', { name: 'Back to your Channels' }).click();
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    // The browser itself says that the page of the refusal was answered 400.
    complaints.length = 0;
  });
});

test('a webhook is added, tested, looked at and sent again; its secret is left only by who has kept it', async () => {
  const { receiver } = trusted;
  receiver.behave(answer(500, { body: 'not today' }), answer(204));
  await atPage('/webhooks', async ({ page, complaints }) => {
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    const adding = page.getByRole('dialog', { name: 'Add an endpoint' });
    const address = adding.getByLabel('Address');
    await address.fill('https://10.0.0.1/hook');
    await adding.getByRole('button', { name: 'Add the endpoint' }).click();
    // What is wrong with the address is said at its field, and gone once another one stands there.
    const refusal = adding.locator('.field-error').getByText(/public internet|private/i);
    await refusal.waitFor();
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    expect(await adding.locator('.error-panel').count()).toBe(0);
    // The browser itself says that the refusal was answered 422.
    complaints.length = 0;
    await address.fill(receiver.url);
    await refusal.waitFor({ state: 'detached' });
    await adding.getByRole('button', { name: 'Add the endpoint' }).click();
    const secret = page.getByRole('dialog', { name: /secret/ });
    await secret.getByText(/^whsec_/).waitFor();
    expect(await secret.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await secret.getByText('I have kept it').click();
    await secret.getByRole('button', { name: 'Done' }).click();

    const endpoint = page.getByRole('region', { name: `Endpoint ${receiver.url}` });
    await endpoint.getByRole('button', { name: 'Send a test' }).click();
    await endpoint.getByRole('button', { name: /^Look at/ }).click();
    const delivery = page.getByRole('dialog', { name: 'Delivery' });
    await delivery.getByText('"type": "variant.published"').waitFor();
    const attempts = delivery.getByRole('list').getByRole('listitem');
    await attempts.first().waitFor();
    const asked = receiver.requests.length;
    await delivery.getByRole('button', { name: 'Send it again' }).click();
    await expect.poll(() => receiver.requests.length, { timeout: 60_000 }).toBeGreaterThan(asked);
    await delivery
      .getByText(/Answered 204/)
      .first()
      .waitFor();
  });
});
