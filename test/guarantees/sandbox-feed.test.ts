import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chromium, NARROW } from '#testing/chromium.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

let crier: CrierUnderTest;
let chromium: Chromium;
beforeAll(async () => {
  [crier, chromium] = await Promise.all([CrierUnderTest.start({ name: 'feed' }), Chromium.start()]);
  await crier.api().createPost({ text: 'Fresh bread from seven.', channelIds: textChannels(crier.ready.demo!) });
  await until(async () => (await crier.sandbox().items()).length === 2, { what: 'live on both Networks' });
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await crier?.[Symbol.asyncDispose]();
});

test.each([
  ['on a wide screen the six Networks stand side by side, light', { width: 2400, height: 900 }, 'light', 6],
  ['on a laptop in several columns, dark', { width: 1280, height: 800 }, 'dark', 3],
  ['on a phone one below the other, dark', NARROW, 'dark', 1],
] as const)('%s', (_look, viewport, colorScheme, columns) =>
  chromium.withTab(
    async (tab) => {
      await tab.page.goto(`${crier.ready.sandboxUrl}/`);
      await tab.page.getByText('Fresh bread from seven.').first().waitFor();
      const lefts: readonly number[] = await tab.page
        .locator('.network')
        .evaluateAll((networks) => networks.map((network) => network.getBoundingClientRect().left));
      expect([lefts.length, new Set(lefts).size]).toEqual([6, columns]);
      const room = await tab.page
        .locator('.networks')
        .evaluate((grid) => grid.getBoundingClientRect().width / grid.ownerDocument.documentElement.clientWidth);
      expect(room).toBeGreaterThan(0.85);
      expect(
        await tab.page.evaluate(() => {
          const { scrollWidth, clientWidth } = (globalThis as any).document.documentElement;
          return scrollWidth <= clientWidth;
        }),
      ).toBe(true);
      expect(await tab.accessibilityProblems()).toEqual([]);
      expect(tab.complaints.filter((words) => !words.includes('favicon'))).toEqual([]);
    },
    { viewport, colorScheme },
  ),
);
