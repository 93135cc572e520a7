import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import type { Chromium, ChromiumTab } from '#testing/chromium.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { ZONE, type Agency } from './agency.ts';
import type { ShownPage } from './pages.ts';

const WIDTHS = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;
/** A long page is shown from its beginning. */
const MOST_HEIGHT = 1_600;
const THEMES = ['light', 'dark'] as const;
const COLOURS = 128;

export interface Darkroom {
  readonly agency: Agency;
  readonly crier: CrierUnderTest;
  /** Where the pictures are put. */
  readonly folder: string;
}

/** Takes a page in both themes and widths. */
export function shoot(chromium: Chromium, shown: ShownPage, { agency, crier, folder }: Darkroom): Promise<void> {
  const baseURL = crier.ready.baseUrl!;
  return chromium.withTab((tab) => take(tab, shown, { agency, folder }), {
    ...{ baseURL, locale: 'en-GB', timezoneId: ZONE, viewport: WIDTHS.wide, reducedMotion: 'reduce' },
    ...(shown.isPublic !== true && { storageState: { cookies: cookiesOf(agency, baseURL), origins: [] } }),
  });
}

async function take(
  { page }: ChromiumTab,
  { name, path, prepare }: ShownPage,
  { agency, folder }: Omit<Darkroom, 'crier'>,
): Promise<void> {
  await page.goto(path(agency));
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  await settled(page);
  await prepare?.(page, agency);
  for (const width of ['wide', 'narrow'] as const)
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(WIDTHS[width]);
      await settled(page);
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      await page.setViewportSize({
        ...WIDTHS[width],
        height: Math.max(WIDTHS[width].height, Math.min(height, MOST_HEIGHT)),
      });
      await settled(page);
      await page.evaluate('document.activeElement?.blur(), scrollTo(0, 0)');
      await settled(page);
      const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      writeFileSync(join(folder, `${name}-${width}-${colorScheme}.png`), await small(picture));
    }
}

/** Nothing is loaded or drawn any more. */
async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' });
  await page.evaluate(
    `Promise.all([...document.images].filter((image) => image.checkVisibility()).map((image) => image.decode().catch(() => {})))
      .then(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 150))))`,
  );
}

function small(picture: Buffer): Promise<Buffer> {
  return sharp(picture).png({ palette: true, colours: COLOURS, effort: 10, compressionLevel: 9 }).toBuffer();
}

function cookiesOf({ owner }: Agency, baseUrl: string) {
  const { hostname: domain } = new URL(baseUrl);
  return [...owner.cookies].map(([name, value]) => ({
    ...{ name, value, domain, path: '/', expires: -1 },
    ...{ httpOnly: true, secure: false, sameSite: 'Lax' as const },
  }));
}
