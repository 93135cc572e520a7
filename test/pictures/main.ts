import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Chromium } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundAgency } from './agency.ts';
import { takeDashboards } from './dashboards/take.ts';
import { PAGES } from './pages.ts';
import { shoot } from './shoot.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/app');

const NAMES = [...PAGES.map(({ name }) => name), 'dashboards'];
/** Names of pages to show, and `dashboards`; none: all of them. */
const given = process.argv.slice(2);
const unknown = given.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`pictures: there is no ${unknown.join(', ')}; there are ${NAMES.join(', ')}\n`);
  process.exit(2);
}
const wanted = given.length === 0 ? NAMES : given;

execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: ROOT, stdio: 'inherit' });
await using chromium = await Chromium.start();
if (wanted.includes('dashboards'))
  await takeDashboards(chromium, join(ROOT, 'helm/crier/files/dashboards'), join(ROOT, 'docs/dashboards'));
const pages = PAGES.filter(({ name }) => wanted.includes(name));
if (pages.length > 0) await takePages(pages);

async function takePages(shown: typeof PAGES): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const env = { CRIER_DEMO: 'false', CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' };
  await using crier = await CrierUnderTest.start({ name: 'pictures', env });
  const agency = await foundAgency(crier);
  for (const page of shown) {
    await shoot(chromium, page, { agency, crier, folder: FOLDER });
    process.stdout.write(`${page.name}\n`);
  }
}
