import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import type { Chromium } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { Prometheus } from '#testing/prometheus.ts';
import { putLoadOn } from './load.ts';
import { PAGE_WIDTH, pageOf } from './page.ts';
import type { WrittenDashboard } from './written-dashboard.ts';

const RULES = resolve(import.meta.dirname, '../../../helm/crier/files/rules.yaml');
const MINUTES = 10;
const START_WITHIN_MS = 600_000;
/** Of scrapes, and of points: short, as pictures show minutes and not days. */
const STEP_SECONDS = 5;
/** What Grafana would choose for these steps and scrapes: four scrapes, or a step and a scrape. */
const WINDOW = '20s';
const COLOURS = 96;

/** Puts ten minutes of load on a Crier, and draws each file of `dashboards` over what Prometheus saw of them. */
export async function takeDashboards(chromium: Chromium, dashboards: string, folder: string): Promise<void> {
  const env = {
    CRIER_REQUESTS_PER_MINUTE: '0',
    CRIER_EARLIEST_SCHEDULE_SECONDS: '0',
    CRIER_CANARY: 'on',
    CRIER_CANARY_EVERY_SECONDS: '15',
  };
  await using crier = await CrierUnderTest.make({ name: 'dashboards', env });
  await crier.start(START_WITHIN_MS);
  await using prometheus = await Prometheus.start({
    processes: [{ pod: 'crier-0', adminPort: crier.ports.admin }],
    rules: readFileSync(RULES, 'utf8'),
    everySeconds: STEP_SECONDS,
  });
  const from = Math.floor(Date.now() / 1_000);
  await putLoadOn(crier, MINUTES * 60);
  const range = { span: { from, to: Math.floor(Date.now() / 1_000) }, stepSeconds: STEP_SECONDS };
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(dashboards)) {
    const written = JSON.parse(readFileSync(join(dashboards, file), 'utf8')) as WrittenDashboard;
    const page = await pageOf(written, (expr) => prometheus.range(filled(expr), range.span, STEP_SECONDS), range);
    const name = file.replace('.json', '');
    await chromium.withTab(
      async ({ page: tab }) => {
        await tab.setContent(page);
        const picture = await tab.screenshot({ fullPage: true });
        const small = await sharp(picture).png({ palette: true, colours: COLOURS, effort: 10 }).toBuffer();
        writeFileSync(join(folder, `${name}.png`), small);
      },
      { viewport: { width: PAGE_WIDTH, height: 900 } },
    );
    process.stdout.write(`dashboards ${name}\n`);
  }
  // Nothing of this load is a record that can not be handled.
  const { parked } = await crier.admin().call('parked.list');
  if (parked.length > 0) throw new Error(`keys were parked under the load: ${JSON.stringify(parked)}`);
}

/** The variables, as a dashboard that shows everything has them. */
function filled(expr: string): string {
  return expr.replaceAll('$__rate_interval', WINDOW).replaceAll(/\$(namespace|network)/g, '.*');
}
