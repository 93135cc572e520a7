import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chromium, type ChromiumTab } from '#testing/chromium.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** For a busy machine; a page that is not told learns nothing in that time. The bench measures the promised second. */
const LIVE_MS = 60_000;
const ZONE = 'zone=Europe/Berlin';
const env = { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' };

let crier: CrierUnderTest;
let chromium: Chromium;
let cookies: Awaited<ReturnType<ChromiumTab['cookies']>>;
beforeAll(async () => {
  execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: ROOT });
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'app-calendar', env }), Chromium.start()]);
  cookies = await chromium.withTab(async (tab) => {
    await tab.signIn(crier.ready.demo!.signInUrl!);
    return tab.cookies();
  });
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
});

/** A tab of the demo's owner, whose clock is in New York, at the calendar in Berlin's time. */
function atCalendar(search: string, use: (tab: ChromiumTab) => Promise<void>) {
  return chromium.withTab(
    async (tab) => {
      await tab.page.goto(`${crier.ready.baseUrl}/app/calendar?${ZONE}&${search}`);
      await tab.page.locator('.calendar-line-words', { hasText: /Posts? ·/ }).waitFor();
      await use(tab);
      expect(tab.complaints).toEqual([]);
    },
    { storageState: { cookies, origins: [] }, timezoneId: 'America/New_York', locale: 'en-GB' },
  );
}

/** Nine in the morning in Berlin, where it is winter, so many days from today; and its date. */
function nineIn(days: number): { readonly at: string; readonly date: string } {
  const date = new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const noon = Date.parse(`${date}T12:00:00Z`);
  const shown = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit' }).format(noon);
  return { date, at: new Date(Date.parse(`${date}T09:00:00Z`) - (Number(shown) - 12) * 3_600_000).toISOString() };
}

function schedule(text: string, at: string, channelIds = textChannels(crier.ready.demo!)) {
  return crier.api().createPost({ text, channelIds, scheduledAt: at });
}

/** Posts of one Channel, evenly over the seven days from an instant. */
async function scheduleMany(from: number, count: number): Promise<void> {
  const channelIds = textChannels(crier.ready.demo!).slice(0, 1);
  const posts = Array.from({ length: count }, (_, number) => ({
    text: `Number ${number} of many`,
    channelIds,
    scheduledAt: new Date(from + Math.floor((number * 7 * DAY_MS) / count)).toISOString(),
  }));
  // Those of x cost credits, and the demo has a few.
  await crier.admin().call('workspaces.addCredits', { workspaceId: crier.ready.demo!.workspaceId, credits: count });
  for (let first = 0; first < count; first += 100) {
    const { body } = await crier.api().send('POST', '/api/posts/bulk', { posts: posts.slice(first, first + 100) });
    expect(new Set(body.data.map(({ status }: { readonly status: number }) => status))).toEqual(new Set([201]));
  }
}

const VIEWS = ['month', 'week', 'day', 'list'] as const;

describe('the calendar', () => {
  test.each(VIEWS)(
    '%s: a Post of a key has its words, time, Networks, status and the key in its name',
    async (view) => {
      const { at, date } = nineIn(8);
      await schedule(`Seen in the ${view}`, at);
      await atCalendar(`view=${view}&date=${date}`, async ({ page }) => {
        const link = page.getByRole('link', { name: new RegExp(`^Seen in the ${view}`) });
        await link.waitFor();
        const name = await link.evaluate((element) => element.textContent);
        expect(name).toMatch(/09:00.*Scheduled.*by the key/);
        expect(name).toMatch(/X.*Threads|Threads.*X/);
      });
    },
  );

  test('asks for its week once, before it is drawn, for no session, and for what it missed meanwhile', async () => {
    await atCalendar(`date=${nineIn(11).date}`, async ({ page }) => {
      const calls = await until(
        async () => {
          const names = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
          const found = names.filter((name) => name.includes('/app/trpc/')).map(decodeURIComponent);
          return found.some((name) => name.includes('missed')) ? found : null;
        },
        { what: 'a question for what was missed', withinMs: 60_000 },
      );
      const place = (procedure: string): number => calls.findIndex((name) => name.includes(procedure));
      expect(place('posts.calendar'), calls.join('\n')).toBe(0);
      expect(place('channels.list'), calls.join('\n')).toBeGreaterThan(0);
      // Later it is asked again and again.
      const session = place('session.get');
      expect(session === -1 || session > place('channels.list'), calls.join('\n')).toBe(true);
      const weeks = calls.filter((name) => name.includes('posts.calendar'));
      expect(new Set(weeks).size, calls.join('\n')).toBe(weeks.length);
    });
  });

  test('lists what an hour has no room for, and keeps that in the address', async () => {
    const { at, date } = nineIn(9);
    for (let number = 1; number <= 5; number++) await schedule(`Crowded ${number}`, at);
    await atCalendar(`date=${date}`, async ({ page }) => {
      await page.getByRole('button', { name: /^\+3 more/ }).click();
      const panel = page.getByRole('complementary', { name: /09:00/ });
      for (let number = 1; number <= 5; number++)
        await panel.getByRole('link', { name: `Crowded ${number}` }).waitFor();
      expect(page.url()).toContain(`more=${date}T09`);
    });
  });

  test('opens a Post beside it under the address of its own page, and closes it again', async () => {
    const { at, date } = nineIn(10);
    const { id } = await schedule('Opened beside', at);
    await atCalendar(`date=${date}`, async ({ page }) => {
      await page.getByRole('link', { name: /^Opened beside/ }).click();
      await page.getByRole('complementary', { name: 'Post', exact: true }).getByText('Opened beside').first().waitFor();
      expect(new URL(page.url()).pathname).toBe(`/app/posts/${id}`);
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('complementary', { name: 'Post', exact: true }).waitFor({ state: 'detached' });
      expect(new URL(page.url()).pathname).toBe('/app/calendar');
    });
  });

  test('shows by itself what a key scheduled and cancelled meanwhile', async () => {
    const { at, date } = nineIn(11);
    await schedule('There before', at);
    await atCalendar(`date=${date}`, async ({ page }) => {
      await page.getByRole('link', { name: /^There before/ }).waitFor();
      const { id } = await schedule('Came meanwhile', at);
      await page.getByRole('link', { name: /^Came meanwhile/ }).waitFor({ timeout: LIVE_MS });
      await crier.api().cancelPost(id);
      await page.getByRole('link', { name: /^Came meanwhile/ }).waitFor({ state: 'detached', timeout: LIVE_MS });
    });
  });

  test('filters by Network, in the address', async () => {
    const { at, date } = nineIn(12);
    const [x, threads] = textChannels(crier.ready.demo!);
    await schedule('Only on X', at, [x!]);
    await schedule('Only on Threads', at, [threads!]);
    await atCalendar(`date=${date}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Networks' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Threads' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: /^Only on X/ }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: /^Only on Threads/ }).waitFor();
      expect(page.url()).toContain('network=threads');
    });
  });
});

describe('a week of 2,000 Posts', () => {
  /** Bytes of each week that was read, by its address: one that is read again is the same. */
  const READ_WEEKS = `Object.fromEntries(performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('posts.calendar')).map(({ name, encodedBodySize }) => [name, encodedBodySize]))`;
  const NOTE_DRAWN = `globalThis.drawn = new Set();
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const cell = (target.nodeType === 1 ? target : target.parentElement)?.closest('[data-cell]');
        if (cell) drawn.add(cell.dataset.cell);
      }
    }).observe(document.querySelector('.post-grid-rows'), { subtree: true, childList: true, characterData: true })`;

  test('is few elements and few bytes; the next is there already, and a change draws one cell', async () => {
    const { at, date } = nineIn(70 - ((new Date(Date.now() + 70 * DAY_MS).getUTCDay() + 6) % 7));
    await scheduleMany(Date.parse(at) - 9 * HOUR_MS, 2_000);
    await atCalendar(`date=${date}`, async ({ page }) => {
      const grid = page.getByRole('grid');
      await page.locator('.calendar-line-words', { hasText: /^2000 Posts ·/ }).waitFor();
      expect(await page.locator('*').count()).toBeLessThan(4_000);
      const weeks = async () => Object.values(await page.evaluate<Record<string, number>>(READ_WEEKS));
      await until(async () => (await weeks()).length >= 3, { what: 'the weeks on both sides read ahead' });
      expect(await weeks()).toHaveLength(3);
      expect(Math.max(...(await weeks()))).toBeLessThan(120_000);

      const link = page.locator(`[data-cell="${date}T00"] [data-post] a`).first();
      await grid.evaluate((element) => element.scrollTo({ top: 0 }));
      await link.waitFor();
      await page.evaluate(NOTE_DRAWN);
      const postId = await link.evaluate((element) => element.closest('[data-post]')!.getAttribute('data-post')!);
      await crier.api().cancelPost(postId);
      await page.locator(`[data-post="${postId}"]`).waitFor({ state: 'detached' });
      expect(await page.evaluate('[...drawn]')).toEqual([`${date}T00`]);

      const label = await grid.getAttribute('aria-label');
      await page.getByRole('button', { name: 'Next week' }).click();
      await until(async () => (await grid.getAttribute('aria-label')) !== label, { what: 'the next week' });
      await until(async () => (await weeks()).length > 3, { what: 'the week after it read ahead' });
      expect(await weeks()).toHaveLength(4);
    });
  });
});

describe('a Post that is moved', () => {
  test('by its menu is cancelled and created again on another day, and moved back by one press', async () => {
    const [from, to] = [nineIn(15), nineIn(16)];
    const { id } = await schedule('Moves by menu', from.at);
    await atCalendar(`view=month&date=${from.date}`, async ({ page }) => {
      await page.getByRole('link', { name: /^Moves by menu/ }).focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Move to...' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Move this Post' });
      await dialog.getByText('Moving cancels this Post and creates it again').waitFor();
      await dialog.getByLabel('Date').fill(to.date);
      await dialog.getByRole('button', { name: 'Move', exact: true }).click();
      await page
        .locator(`[data-cell="${to.date}"]`)
        .getByRole('link', { name: /^Moves by menu/ })
        .waitFor();
      await page.getByText(/the Post was cancelled and created again/).waitFor();
      expect((await crier.api().getPost(id)).variants.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      const times = async () =>
        (await crier.api().listPosts({ from: from.at }))
          .filter(({ text, variants }) => text === 'Moves by menu' && variants[0]!.status === 'scheduled')
          .map(({ variants }) => variants[0]!.scheduledAt);
      expect(await times()).toEqual([to.at]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page
        .locator(`[data-cell="${from.date}"]`)
        .getByRole('link', { name: /^Moves by menu/ })
        .waitFor();
      await until(async () => (await times())[0] === from.at, { what: 'the Post back at its time' });
    });
  });

  test('by dragging keeps its time of day on another date', async () => {
    const [from, to] = [nineIn(17), nineIn(18)];
    await schedule('Dragged', from.at);
    await atCalendar(`view=month&date=${from.date}`, async ({ page }) => {
      const target = page.locator(`[data-cell="${to.date}"]`);
      await page.locator('[data-post]', { hasText: 'Dragged' }).dragTo(target);
      const link = target.getByRole('link', { name: /^Dragged/ });
      await link.waitFor();
      expect(await link.evaluate((element) => element.textContent)).toContain('09:00');
    });
  });
});

describe('by keyboard', () => {
  test('goes into the grid, to a Post, into it and back, and to a new Post at the hour', async () => {
    const { at, date } = nineIn(22);
    await schedule('Reached by keys', at);
    await atCalendar(`date=${date}`, async ({ page }) => {
      await page.locator(`[data-cell="${date}T08"]`).focus();
      await page.keyboard.press('ArrowDown');
      expect(await focused(page)).toBe(`${date}T09`);
      await page.keyboard.press('Enter');
      expect(await page.locator(':focus').textContent()).toMatch(/^Reached by keys/);
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Post', exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('complementary', { name: 'Post', exact: true }).waitFor({ state: 'detached' });
      expect(await page.locator(':focus').textContent()).toMatch(/^Reached by keys/);
      await page.keyboard.press('Escape');
      expect(await focused(page)).toBe(`${date}T09`);
      // Far down: rows that are not drawn yet are reached, too.
      for (let hour = 10; hour <= 22; hour++) await page.keyboard.press('ArrowDown');
      await until(async () => (await focused(page)) === `${date}T22`, { what: 'the focus in the last row but one' });
      await page.keyboard.press('n');
      await page.waitForURL(/\/app\/compose/);
      expect(Date.parse(new URL(page.url()).searchParams.get('at')!) - Date.parse(at)).toBe(13 * 3_600_000);
    });
  });

  test('has one stop in the order of Tab, and keys for the views and for today', async () => {
    await atCalendar(`date=${nineIn(22).date}`, async ({ page }) => {
      expect(await page.locator('[role=grid] [tabindex="0"]').count()).toBe(1);
      for (const [key, view] of [
        ['m', 'month'],
        ['d', 'day'],
        ['l', 'list'],
        ['w', 'week'],
      ] as const) {
        await page.keyboard.press(key);
        await page.waitForURL(new RegExp(`view=${view}`));
      }
      await page.keyboard.press('t');
      await page.waitForURL((url) => !url.searchParams.has('date'));
    });
  });
});

describe('nights in which clocks change', () => {
  test('a Sunday of 23 hours lacks an hour, one of 25 has it twice, and both are named', async () => {
    await atCalendar('date=2027-03-28', async ({ page }) => {
      await page.getByRole('columnheader', { name: /28 Mar.*23 hours/ }).waitFor();
      await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: 0 }));
      await page.getByRole('gridcell', { name: /28 Mar, 02:00: this day has no such hour/ }).waitFor();
    });
    await atCalendar('date=2027-10-31', async ({ page }) => {
      await page.getByRole('columnheader', { name: /31 Oct.*25 hours/ }).waitFor();
      await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: 0 }));
      await page.getByRole('gridcell', { name: /31 Oct, 02:00 for the second time/ }).waitFor();
      // New York changes a week later, so the viewer's clock shows two times in a row of this week.
      await page.getByRole('rowheader', { name: /^03:00/ }).waitFor();
      expect(await page.getByRole('rowheader', { name: /^03:00/ }).textContent()).toContain('21:00 / 22:00');
    });
  });
});

/** The cell that has the focus; null: something else has. */
async function focused(page: ChromiumTab['page']): Promise<string | null> {
  const [cell] = await page.locator('[data-cell]:focus').all();
  return cell?.getAttribute('data-cell') ?? null;
}
