import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCosts, readCosts } from './file-costs.ts';
import { planOf, stagesOf, type Extent } from './plan.ts';
import { childrenSeconds } from './processor-time.ts';
import type { Stage, StageOutcome } from './stages.ts';
import { inWords, sum } from './totals.ts';

// A stage that fails does not stop the others, so that one run reports everything.
const extent: Extent = process.argv.includes('--soak') ? 'soak' : process.argv.includes('--ci') ? 'ci' : 'test';
if (extent === 'soak') process.env['CRIER_TEST_SOAK'] = '1';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

/** How many files are named with what they took. */
const DEAREST = 12;

const folder = mkdtempSync(join(tmpdir(), 'crier-tests-'));
const outcomes = new Map<Stage, StageOutcome & { readonly took: string }>();
let counted = 0;
/** Of the stage that has just ended: what its processes took is counted when it ends. */
const took = (from: number): string => {
  const seconds = Math.round((performance.now() - from) / 1000);
  const total = childrenSeconds();
  if (total === null) return `${seconds} s`;
  const processor = total - counted;
  counted = total;
  return `${seconds} s, ${Math.round(processor)} s of processor`;
};
const runAll = async (stages: readonly Stage[]): Promise<void> => {
  for (const stage of stages) {
    if (ending.signal.aborted) return;
    const from = performance.now();
    const outcome = await stage.run(folder, ending.signal);
    outcomes.set(stage, { ...outcome, took: took(from) });
  }
};
const plan = planOf(extent);
await runAll(plan.first);
await Promise.all(plan.lanes.map(runAll));
const dearest = describeCosts(readCosts(folder), DEAREST);
rmSync(folder, { recursive: true });

const all = stagesOf(plan).flatMap((stage) => {
  const outcome = outcomes.get(stage);
  return outcome === undefined ? [] : [{ ...outcome, name: stage.name }];
});
const lines = all.map((one) => `${one.name.padEnd(11)} ${inWords(one.totals)}, ${one.took}`);
const totals = sum(all.map((outcome) => outcome.totals));
const unstable = all.flatMap((outcome) => outcome.unstable);
const said = [
  ...all.flatMap(({ failures }) => failures),
  ...unstable.map((each) => `UNSTABLE, passed when run again: ${each}`),
  ...lines,
  ...all.flatMap(({ engines }) => engines),
  ...dearest,
];
const defects = `${unstable.length} unstable: each is a defect, of the test or of Crier, that is to be found`;
if (unstable.length > 0) said.push(defects);
process.stdout.write(`\n${said.join('\n')}\ntests: ${inWords(totals)}\n`);
process.exitCode = totals.failed === 0 && !ending.signal.aborted ? 0 : 1;
