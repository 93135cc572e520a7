import { parseArgs } from 'node:util';
import type { FaultPlan } from './faults.ts';
import { PARTS, type Part, type SimulatedRole } from './roles.ts';
import { storyOf } from './story.ts';
import { simulate } from './simulate.ts';
import { addCounts } from './summary.ts';
import type { ActionShares } from './workload.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    faults: { type: 'string', default: '{}' },
    actions: { type: 'string' },
    only: { type: 'string' },
    deeds: { type: 'string' },
    // Names of roles; left out: as each seed draws.
    parts: { type: 'string' },
    'pause-at': { type: 'string' },
    trace: { type: 'boolean', default: false },
    about: { type: 'string', multiple: true, default: [] },
    'keep-going': { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const runs = Number(values.runs);
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(runs) || runs < 1) {
  console.error(
    'usage: npm run sim -- --seed N [--runs M] [--trace [--about WORD]] [--faults JSON] [--actions JSON] [--only STEPS] [--deeds N] [--parts webhooks,media] [--pause-at ROLE/STEP/MS] [--keep-going]',
  );
  process.exit(2);
}

const only = values.only?.split(',').filter((id) => id !== '');
const [role, call, pauseMs] = values['pause-at']?.split('/') ?? [];
const options = {
  ...(only && { only }),
  ...(values.actions !== undefined && { actions: JSON.parse(values.actions) as ActionShares }),
  ...(values.parts !== undefined && {
    parts: values.parts.split(',').filter((part): part is Part => (PARTS as readonly string[]).includes(part)),
  }),
  ...(values.deeds !== undefined && { deeds: Number(values.deeds) }),
  ...(role !== undefined && { pauseAt: { role: role as SimulatedRole, call: Number(call), pauseMs: Number(pauseMs) } }),
};
// JSON has no infinity: between the blows of a plan that has none.
const faults = JSON.parse(values.faults, (_key, value: unknown) => value ?? Infinity) as Partial<FaultPlan>;
const variants: Record<string, number> = {};
const unconfirmed: Record<string, number> = {};
const seen: Record<string, number> = {};
const events: Record<string, number> = {};
let [steps, failed] = [0, 0];
const startedAt = performance.now();
for (let seed = first; seed < first + runs; seed++) {
  const run = await simulate({ seed, faults, trace: values.trace, ...options });
  steps += run.steps;
  addCounts(variants, run.summary.variants);
  addCounts(unconfirmed, run.summary.unconfirmed);
  addCounts(seen, run.summary.seen);
  addCounts(events, run.summary.events);
  if (values.trace) console.log(run.world.trace.about(values.about).join('\n'));
  if (run.violations.length === 0) continue;
  failed++;
  console.log(await storyOf(run, { faults, ...options }));
  if (!values['keep-going']) break;
}
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ seen, variants, unconfirmed, events }, null, 2));
console.log(
  `${runs} runs from seed ${first}: ${failed === 0 ? 'all well' : `${failed} failed`}; ${steps} steps in ${seconds.toFixed(1)} s`,
);
process.exitCode = failed === 0 ? 0 : 1;
