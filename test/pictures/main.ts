import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Chromium } from '#testing/chromium.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundAgency } from './agency.ts';
import { PAGES } from './pages.ts';
import { shoot } from './shoot.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/app');

/** Names of pages to show; none: all of them. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => PAGES.every((page) => page.name !== name));
if (unknown.length > 0) {
  process.stderr.write(
    `pictures: there is no ${unknown.join(', ')}; there are ${PAGES.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

execFileSync(process.execPath, ['clients/app/build.ts'], { cwd: ROOT, stdio: 'inherit' });
mkdirSync(FOLDER, { recursive: true });
const env = { CRIER_DEMO: 'false', CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' };
await using crier = await CrierUnderTest.start({ name: 'pictures', env });
await using chromium = await Chromium.start();
const agency = await foundAgency(crier);
for (const page of PAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  await shoot(chromium, page, { agency, crier, folder: FOLDER });
  process.stdout.write(`${page.name}\n`);
}
