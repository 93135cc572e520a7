import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chromium, type ChromiumTab } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

let crier: CrierUnderTest;
let chromium: Chromium;
let cookies: Awaited<ReturnType<ReturnType<ChromiumTab['page']['context']>['cookies']>>;

const env = { CRIER_REQUESTS_PER_MINUTE: '0' };
beforeAll(async () => {
  execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: resolve(import.meta.dirname, '../..') });
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'app-compose', env }), Chromium.start()]);
  // The printed link signs in once: every tab goes on with its session.
  cookies = await chromium.withTab(async (tab) => {
    await tab.signIn(crier.ready.demo!.signInUrl!);
    return tab.page.context().cookies();
  });
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
});

const fixture = (name: string) => new URL(`../../libs/testing/fixtures/${name}`, import.meta.url).pathname;
const wide = (tab: ChromiumTab) => tab.page.getByRole('button', { name: /^(Schedule|Publish|Replace|Send again)/ });
const posts = async () => (await crier.api().send('GET', '/api/posts')).body.data as { id: string; text: string }[];

async function compose<Outcome>(
  use: (tab: ChromiumTab) => Promise<Outcome>,
  { search = '' }: { search?: string } = {},
): Promise<Outcome> {
  return chromium.withTab(async (tab) => {
    await tab.page.context().addCookies(cookies);
    tab.page.setDefaultTimeout(60_000);
    await tab.page.goto(`${crier.ready.baseUrl}/app/compose${search}`);
    await tab.page.getByRole('heading', { name: 'Channels', exact: true }).waitFor();
    return use(tab);
  });
}

/** Chooses a Channel of the demo by its Network. */
async function choose({ page }: ChromiumTab, network: string): Promise<void> {
  await page.getByRole('group', { name: network, exact: true }).getByRole('checkbox').check({ force: true });
}

/** What a reader says of the control that has the focus. */
const FOCUSED = `[document.activeElement?.getAttribute('aria-label'), ...[...(document.activeElement?.labels ?? [])].map(
  (each) => each.textContent), document.activeElement?.textContent].join(' ')`;

/** As somebody does who has a picture on the clipboard. */
const PASTE_A_FILE = `{
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File(['x'], 'late.png', { type: 'image/png' }));
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}`;

function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element.matches(':focus'));
}

async function attach({ page }: ChromiumTab, ...names: string[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  await chooser.setFiles(names.map(fixture));
}

test('a Post is written with files, descriptions and a text of its own, and is there exactly so', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    await choose(tab, 'X');
    await choose(tab, 'Instagram');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Tea is ready');
    await attach(tab, 'photo.jpg', 'photo-2.jpg');
    const items = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Remove photo/ }) });
    await items.nth(1).waitFor();
    await items.nth(0).getByRole('textbox').fill('A pot of tea');
    await items.nth(1).getByRole('textbox').fill('Two cups');
    await page.getByRole('button', { name: 'Move photo-2.jpg forward' }).click();
    await page.getByRole('tab', { name: /Instagram/ }).click();
    await page.getByRole('button', { name: /^Write another text/ }).click();
    await page.getByRole('textbox', { name: /^Text for/ }).fill('Tea is ready #tea');
    await page.getByRole('textbox', { name: 'First comment' }).fill('Come over');
    await page.getByText('Nothing stands against it.').waitFor();
    await page.getByLabel('Date').fill('2027-03-02');
    await page.getByLabel(/^Time in/).fill('09:00');
    const button = wide(tab);
    expect(await button.textContent()).toMatch(/^Schedule 2 Posts for Tue,? 2 Mar, 09:00 /);
    await page.getByText('Nothing stands against it.').waitFor();
    await button.click();
    await page.waitForURL(/\/app\/posts\//);
    const postId = new URL(page.url()).pathname.split('/').at(-1)!;
    const { body } = await crier.api().send('GET', `/api/posts/${postId}`);
    const { text, via, media, variants } = body.data;
    expect([text, via]).toEqual(['Tea is ready', null]);
    expect(media.map((file: { kind: string; altText: string }) => [file.kind, file.altText])).toEqual([
      ['image', 'Two cups'],
      ['image', 'A pot of tea'],
    ]);
    const own = Object.fromEntries(variants.map((each: { network: string }) => [each.network, each]));
    expect(own).toMatchObject({
      x: { text: null, firstComment: null, status: 'scheduled' },
      instagram: { text: 'Tea is ready #tea', firstComment: { status: 'waiting' } },
    });
    const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(new Date(own['x'].scheduledAt).toLocaleString('sv-SE', { timeZone: zone })).toContain('2027-03-02 09:00');
    expect(tab.complaints).toEqual([]);
  });
});

test('what stands against a Post stands at its field and in a list that leads there', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    await choose(tab, 'X');
    await choose(tab, 'Threads');
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.fill('見'.repeat(141));
    const error = page.getByText(/The text is too long for X: 282 of at most 280/).first();
    await error.waitFor();
    await until(async () => (await text.getAttribute('aria-invalid')) === 'true', { what: 'the field is invalid' });
    const described = (await text.getAttribute('aria-describedby'))!.split(' ');
    const words = await Promise.all(described.map((id) => page.locator(`[id="${id}"]`).textContent()));
    expect(words.join(' ')).toContain('282 of at most 280');
    await page.getByRole('heading', { name: /put right/ }).waitFor();
    await page.getByRole('button', { name: /The text is too long for X/ }).click();
    await until(() => hasFocus(text), { what: 'focus in the text' });
    await text.fill('Tea');
    await page.getByText('Nothing stands against it.').waitFor();
    expect(await page.getByRole('heading', { name: /put right/ }).count()).toBe(0);
    await page.getByRole('tab', { name: /Threads/ }).click();
    await page.getByRole('textbox', { name: 'Topic' }).fill('a.b');
    await page
      .getByText(/A topic on Threads has no full stop/)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'All Channels' }).click();
    await page.getByRole('button', { name: /A topic on Threads/ }).click();
    const topic = page.getByRole('textbox', { name: 'Topic' });
    await until(() => hasFocus(topic), { what: 'focus in the topic' });
  });
});

test('tiktok: nothing is preset, and a disclosure without a choice keeps the Post back', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    await choose(tab, 'TikTok');
    await attach(tab, 'reel.mp4');
    await page.getByRole('tab', { name: /TikTok/ }).click();
    await page.getByText(/^Posting to/).waitFor();
    for (const name of ['Allow comments', 'Allow Duet', 'Allow Stitch', 'It was made by AI'])
      expect(await page.getByRole('checkbox', { name }).isChecked()).toBe(false);
    expect(await page.getByRole('switch', { name: /Disclose commercial content/ }).isChecked()).toBe(false);
    expect(await page.getByRole('button', { name: /Who can see this post/ }).textContent()).toContain('Choose');
    await page.getByText("By posting, you agree to TikTok's").waitFor();
    await page.getByText('Disclose commercial content').click();
    await page.getByText('You need to indicate if your content promotes').first().waitFor();
    await page.getByText('Branded content', { exact: true }).click();
    await page.getByText("will be labeled as 'Paid partnership'").waitFor();
    await page.getByRole('link', { name: /Branded Content Policy/ }).waitFor();
    await page.getByRole('button', { name: /Who can see this post/ }).click();
    const onlyMe = page.getByRole('option', { name: /Only me/ });
    if ((await onlyMe.count()) > 0) expect(await onlyMe.getAttribute('aria-disabled')).toBe('true');
  });
});

test('a connection that is lost amid an upload is waited for, and the upload goes on by itself', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    let cut = 0;
    await page.route('**/uploads/**', async (route) => {
      cut += 1;
      // The connection breaks once, amid the first file.
      if (cut === 1) return route.abort('connectionreset');
      return route.continue();
    });
    await choose(tab, 'Instagram');
    await attach(tab, 'story.jpg');
    await page.getByText('No connection: goes on by itself').waitFor();
    await page.getByRole('button', { name: 'Remove story.jpg' }).waitFor();
    await page.getByText('Nothing stands against it.').waitFor();
    expect(cut).toBe(2);
  });
});

test('a page that is loaded anew has the draft, its files and an upload that was under way', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    await choose(tab, 'Instagram');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Kept tea');
    await attach(tab, 'photo.jpg');
    await page.getByRole('button', { name: 'Remove photo.jpg' }).waitFor();
    let isHeld = true;
    await page.route('**/uploads/**', (route) => (isHeld ? route.abort('connectionreset') : route.continue()));
    await attach(tab, 'photo-2.jpg');
    await page.getByText('No connection: goes on by itself').waitFor();
    await page.reload();
    isHeld = false;
    await page.getByText('This draft was kept in this browser').waitFor();
    expect(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe('Kept tea');
    for (const name of ['photo.jpg', 'photo-2.jpg'])
      await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
    await page.getByText('Nothing stands against it.').waitFor();
    await page.goto(`${crier.ready.baseUrl}/app/compose`);
    await page.getByText('A draft is kept in this browser').click();
    await page.getByRole('link', { name: 'Open the draft Kept tea' }).click();
    await until(
      async () => (await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()) === 'Kept tea',
      {
        what: 'the kept draft is open',
      },
    );
  });
});

test('an answer that is lost makes no second Post when it is sent again', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    await choose(tab, 'X');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Only once');
    await page.getByText('Nothing stands against it.').waitFor();
    let isLost = true;
    await page.route('**/trpc/posts.create*', async (route) => {
      if (!isLost) return route.continue();
      isLost = false;
      await route.fetch();
      return route.abort('connectionreset');
    });
    await wide(tab).click();
    await page.getByText('Nobody knows yet whether the Post was made.').waitFor();
    expect((await posts()).filter(({ text }) => text === 'Only once')).toHaveLength(1);
    await page.reload();
    await page.getByRole('button', { name: /^Send again/ }).click();
    await page.waitForURL(/\/app\/posts\//);
    expect((await posts()).filter(({ text }) => text === 'Only once')).toHaveLength(1);
  });
});

test('Back leads from a Post that was sent to where one came from, and the address of its composer to another Post', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    const write = async (text: string) => {
      await choose(tab, 'X');
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill(text);
      await page.getByText('Nothing stands against it.').waitFor();
      await wide(tab).click();
    };
    const address = page.url();
    await write('The first of two');
    await page.waitForURL(/\/app\/posts\//);
    await page.goBack();
    expect(page.url()).toBe('about:blank');
    await page.goto(address);
    await write('The second of two');
    await page.waitForURL(/\/app\/posts\//);
    const texts = (await posts()).map(({ text }) => text).filter((text) => text.endsWith(' of two'));
    expect(texts.toSorted()).toEqual(['The first of two', 'The second of two']);
  });
});

test('while a Post is being sent its fields take nothing, and the button that says so is none of them', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    await choose(tab, 'X');
    const text = page.locator('.composer-writing textarea').first();
    await text.fill('On its way');
    await page.getByText('Nothing stands against it.').waitFor();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/trpc/posts.create*', async (route) => {
      await answered;
      return route.continue();
    });
    const button = wide(tab);
    const isInert = (of: Locator) => of.evaluate((element) => element.closest('[inert]') !== null);
    await button.click();
    await until(() => isInert(text), { what: 'the fields are inert' });
    await text.focus();
    await page.keyboard.type('!');
    await page.evaluate(PASTE_A_FILE);
    expect([await text.inputValue(), await page.getByText('late.png').count()]).toEqual(['On its way', 0]);
    expect(await isInert(button)).toBe(false);
    answer();
    await page.waitForURL(/\/app\/posts\//);
  });
});

test('an answer that comes when somebody is elsewhere in the app says what it says there, and leads nowhere', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    await choose(tab, 'X');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Made on a slow line');
    await page.getByText('Nothing stands against it.').waitFor();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const sent = page.waitForRequest('**/trpc/posts.create*');
    await page.route('**/trpc/posts.create*', async (route) => {
      await answered;
      return route.continue();
    });
    await wide(tab).click();
    await sent;
    await page.getByRole('link', { name: 'Channels', exact: true }).click();
    await page.waitForURL(/\/app\/channels/);
    answer();
    await page.getByText('The Post is scheduled.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/channels');
  });
});

test('a draft keeps its instant where its zone changes while it is open, or before it is opened again, and after Now', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    const devices = await page.context().newCDPSession(page);
    const moveTo = async (timezoneId: string) => {
      await devices.send('Emulation.setTimezoneOverride', { timezoneId });
      await page.reload();
      await page.getByLabel(`Time in ${timezoneId}`).waitFor();
    };
    const written = async () => [
      await page.getByLabel('Date').inputValue(),
      await page.getByLabel(/^Time in/).inputValue(),
    ];
    await moveTo('Europe/Berlin');
    await choose(tab, 'X');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('At two in Berlin');
    await page.getByLabel('Date').fill('2027-03-02');
    await page.getByLabel(/^Time in/).fill('02:00');
    // Its owner chooses another zone for the Workspace while the draft is open.
    await page.route('**/trpc/session.get*', async (route) => {
      const body = (await (await route.fetch()).text()).replaceAll('"timeZone":null', '"timeZone":"Asia/Kolkata"');
      return route.fulfill({ contentType: 'application/json', body });
    });
    await page.getByLabel('Time in Asia/Kolkata').waitFor();
    expect(await written()).toEqual(['2027-03-02', '06:30']);
    await page.unroute('**/trpc/session.get*');
    await moveTo('America/New_York');
    expect(await written()).toEqual(['2027-03-01', '20:00']);
    await page.getByText('Now', { exact: true }).click();
    await until(async () => (await page.getByLabel('Date').count()) === 0, { what: 'the Post is for now' });
    await page.getByText('At a time', { exact: true }).click();
    expect(await written()).toEqual(['2027-03-01', '20:00']);
    await page.getByText('Nothing stands against it.').waitFor();
    await wide(tab).click();
    await page.waitForURL(/\/app\/posts\//);
  });
  const made = (await posts()).find(({ text }) => text === 'At two in Berlin') as unknown as {
    variants: { scheduledAt: string }[];
  };
  expect(made.variants[0]!.scheduledAt).toBe('2027-03-02T01:00:00.000Z');
});

test('a scheduled Post is changed: its successor takes its place, with its file', async () => {
  const { channels } = crier.ready.demo!;
  const media = [{ url: 'https://example.com/none.jpg' }].slice(1);
  const scheduledAt = '2027-03-02T09:00:00Z';
  const body = { text: 'Before', channelIds: [channels['x']!, channels['threads']!], scheduledAt, media };
  const { id } = await crier.api().createPost(body);
  await compose(
    async (tab) => {
      const { page } = tab;
      const text = page.getByRole('textbox', { name: 'Text', exact: true });
      expect(await text.inputValue()).toBe('Before');
      await text.fill('After');
      await page.getByText('The old Post is cancelled and this one takes its place').waitFor();
      await page.getByText('Nothing stands against it.').waitFor();
      await wide(tab).click();
      await page.waitForURL(new RegExp(`/app/posts/(?!${id})`));
    },
    { search: `?replace=${id}` },
  );
  const old = await crier.api().send('GET', `/api/posts/${id}`);
  expect(old.body.data.variants.map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'cancelled']);
  const successor = (await posts()).find(({ text }) => text === 'After') as unknown as {
    variants: { scheduledAt: string }[];
  };
  expect(successor.variants.map((each) => each.scheduledAt)).toEqual(Array(2).fill('2027-03-02T09:00:00.000Z'));
});

test('what is written of a Post stays where the Post can not be read again in the background', async () => {
  const { channels } = crier.ready.demo!;
  const { id } = await crier.api().createPost({
    text: 'As it was',
    channelIds: [channels['x']!],
    scheduledAt: '2027-03-02T09:00:00Z',
  });
  await compose(
    async (tab) => {
      const { page } = tab;
      const text = page.getByRole('textbox', { name: 'Text', exact: true });
      await text.fill('Ten minutes of work');
      await page.getByText('Nothing stands against it.').waitFor();
      const refused = { error: { code: 'rate_limited', message: 'Try again in a minute.' } };
      await page.route(/trpc\/[^?]*posts\.(draft|get)\b/, (route) => route.fulfill({ status: 429, json: refused }));
      // The window gets the focus again.
      await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
      const judged = page.waitForResponse(/trpc\/[^?]*posts\.validate\b/);
      await text.fill('Ten minutes of work, and more');
      await judged;
      expect(await page.getByText('The Post could not be read.').count()).toBe(0);
      expect(await text.inputValue()).toBe('Ten minutes of work, and more');
    },
    { search: `?replace=${id}` },
  );
});

test('a Post is written by keyboard alone', async () => {
  await compose(async (tab) => {
    const { page } = tab;
    const tabTo = async (name: RegExp) => {
      for (let steps = 0; steps < 80; steps++) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate<string>(FOCUSED);
        if (name.test(label)) return;
      }
      throw new Error(`the keyboard never came to ${name}`);
    };
    await tabTo(/Demo.*X|X/);
    await choose(tab, 'X');
    await page.getByRole('group', { name: 'X', exact: true }).getByRole('checkbox').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Space');
    await tabTo(/^\s*Text/);
    await page.keyboard.type('By keys');
    await page.getByText('Nothing stands against it.').waitFor();
    await tabTo(/Schedule 1 Post/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/app\/posts\//);
  });
  expect((await posts()).filter(({ text }) => text === 'By keys')).toHaveLength(1);
});

test('a CSV file is checked by row, corrected in place and created once, however often it is sent', async () => {
  const csv = ['text,channels,scheduled at', 'Row one,x,2027-03-02 09:00', 'Row two,nobody,2027-03-02 10:00'].join(
    '\n',
  );
  const file = { name: 'march.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await compose(async (tab) => {
    const { page } = tab;
    await page.getByRole('link', { name: 'Import Posts from a CSV file' }).click();
    const open = async () => {
      const chosen = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: /^Choose (a CSV|another) file/ }).click();
      await (await chosen).setFiles(file);
    };
    await open();
    await page.getByText('1 ready, 1 to put right.').waitFor();
    await page.getByText('There is no Channel "nobody"').waitFor();
    await page.getByRole('button', { name: 'Correct row 3' }).click();
    await page.getByRole('textbox', { name: 'channels' }).fill('threads');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('2 ready, 0 to put right.').waitFor();
    await page.getByRole('button', { name: 'Create 2 Posts' }).click();
    await page.getByText('2 created.').waitFor();
    await open();
    await page.getByText('1 created. 0 ready, 1 to put right.').waitFor();
    await page.getByText('Had been created already').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the report' }).click();
    expect((await download).suggestedFilename()).toBe('march-report.csv');
  });
  expect(
    (await posts())
      .filter(({ text }) => text.startsWith('Row '))
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(['Row one', 'Row two']);
});
