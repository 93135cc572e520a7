import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stagesOf } from './plan.ts';
import type { StageOutcome } from './stages.ts';
import { inWords, sum } from './totals.ts';

// A stage that fails does not stop the others, so that one run reports everything. `--soak` runs the long forms.
const soak = process.argv.includes('--soak');
if (soak) process.env['CRIER_TEST_SOAK'] = '1';

const folder = mkdtempSync(join(tmpdir(), 'crier-tests-'));
const outcomes: StageOutcome[] = [];
const lines: string[] = [];
for (const stage of stagesOf({ soak })) {
  const from = performance.now();
  const outcome = await stage.run(folder);
  outcomes.push(outcome);
  lines.push(`${stage.name.padEnd(11)} ${inWords(outcome.totals)}, ${Math.round((performance.now() - from) / 1000)} s`);
}
rmSync(folder, { recursive: true });

const totals = sum(outcomes.map((outcome) => outcome.totals));
process.stdout.write(
  `\n${[...lines, ...outcomes.flatMap((outcome) => outcome.engines)].join('\n')}\ntests: ${inWords(totals)}\n`,
);
process.exitCode = totals.failed === 0 ? 0 : 1;
