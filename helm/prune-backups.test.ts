import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from './helm.fixture.ts';

const CHART = join(import.meta.dirname, 'crier');
const SCRIPT = readFileSync(join(CHART, 'files/prune-backups.mjs'), 'utf8');
/** Where the job of the chart writes what it has not verified yet. */
const [, WRITTEN] = /"--to=\/backup\/([^"]+)"/.exec(readFileSync(join(CHART, 'templates/single.yaml'), 'utf8'))!;
const DAY_MS = 86_400_000;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'crier-prune-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function writeArchive(name: string, daysAgo: number): void {
  const path = join(folder, name);
  writeFileSync(path, name);
  const seconds = (Date.now() - daysAgo * DAY_MS) / 1000;
  utimesSync(path, seconds, seconds);
}

/** As the last container of the job of `pod`. */
async function prune(pod: string, kept: number): Promise<readonly string[]> {
  const args = [`BACKUPS_KEPT=${kept}`, `POD_NAME=${pod}`, process.execPath, '--input-type=module', '--eval', SCRIPT];
  const { code, output, errors } = await run('env', [...args, folder]);
  expect(code, output + errors).toBe(0);
  return readdirSync(folder).sort();
}

const written = (pod: string): string => WRITTEN!.replace('$(POD_NAME)', pod);

test('an archive that failed its check takes no place of one that is whole, and goes after a day', async () => {
  for (const [pod, daysAgo] of Object.entries({ monday: 5, tuesday: 4 })) {
    writeArchive(written(pod), daysAgo);
    await prune(pod, 3);
  }
  writeArchive(written('wednesday'), 3);
  writeArchive(written('thursday'), 2);
  writeArchive(written('by-hand'), 0.1);
  writeArchive(written('friday'), 0);
  writeArchive('notes.txt', 9);
  const left = ['friday.crier-backup', 'monday.crier-backup', 'notes.txt', 'tuesday.crier-backup', written('by-hand')];
  expect(await prune('friday', 3)).toEqual(left.sort());
});

test('of whole archives the newest are kept', async () => {
  const pods = ['d', 'c', 'b', 'a'];
  for (const [daysAgo, pod] of pods.entries()) writeArchive(`${pod}.crier-backup`, daysAgo + 1);
  writeArchive(written('e'), 0);
  expect(await prune('e', 3)).toEqual(['c.crier-backup', 'd.crier-backup', 'e.crier-backup']);
});
