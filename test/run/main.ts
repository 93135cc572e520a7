import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, suite, type Outcome, type Stage } from './stages.ts';
import { inWords, sum } from './totals.ts';

// Every check and suite, one after the other: two stages at once would make each other late on few cores, and suites against real
// engines judge time. A stage that fails stops no other, so that one run tells all. `--soak` runs the long forms.
const soak = process.argv.includes('--soak');
const seeds = soak ? 20_000 : 300;
if (soak) process.env['CRIER_TEST_SOAK'] = '1';

const STAGES: readonly Stage[] = [
  check('types', 'node_modules/typescript/bin/tsc', '--noEmit'),
  suite('unit'),
  check('simulation', 'test/simulation/main.ts', '--runs', String(seeds)),
  suite('guarantees'),
  suite('cluster'),
];

const folder = mkdtempSync(join(tmpdir(), 'crier-tests-'));
const outcomes: Outcome[] = [];
const lines: string[] = [];
for (const stage of STAGES) {
  const from = performance.now();
  const outcome = await stage.run(folder);
  outcomes.push(outcome);
  lines.push(`${stage.name.padEnd(11)} ${inWords(outcome.totals)}, ${Math.round((performance.now() - from) / 1000)} s`);
}
rmSync(folder, { recursive: true });

const totals = sum(outcomes.map((outcome) => outcome.totals));
process.stdout.write(`\n${[...lines, ...outcomes.flatMap((outcome) => outcome.engines)].join('\n')}\ntests: ${inWords(totals)}\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
