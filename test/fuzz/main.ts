import { parseArgs } from 'node:util';
import { fuzzOpenApi, hasSchemathesis } from './openapi/run-openapi.ts';
import { fuzz, type FuzzOutcome } from './run-target.ts';
import { FUZZ_TARGETS } from './targets.ts';

// Runs the fuzzers, one after the other, each for its share of the time; ends with 1 when one found something.

const USAGE = 'usage: make fuzz ARGS="[--seconds=60] [--target=NAME,NAME] [--seed=N] [--cases=N]"';
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    target: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    cases: { type: 'string', default: 'Infinity' },
  },
});
const [seconds, seed, cases] = [Number(values.seconds), Number(values.seed), Number(values.cases)];
const wanted = values.target.split(',').filter((name) => name !== '');
const forMs = (count: number): number => (seconds * 1_000) / count;

/** Every run by its name, for its share of the time. */
const runs = new Map<string, (count: number) => Promise<FuzzOutcome>>([
  ...FUZZ_TARGETS.map(
    (target) => [target.name, (count: number) => fuzz(target, { seed, cases, forMs: forMs(count) })] as const,
  ),
  ['openapi', (count: number) => fuzzOpenApi({ seed, seconds: forMs(count) / 1_000 })],
]);
const unknown = wanted.filter((name) => !runs.has(name));
if (!(seconds > 0) || !Number.isSafeInteger(seed) || !(cases > 0) || unknown.length > 0) {
  console.error(`${USAGE}\ntargets: ${[...runs.keys()].join(', ')}`);
  process.exit(2);
}
if (!hasSchemathesis()) {
  console.log('openapi is left out: schemathesis is not there');
  runs.delete('openapi');
}

const chosen = [...runs].filter(([name]) => wanted.length === 0 || wanted.includes(name));
console.log(`seed ${seed}, ${seconds} s for ${chosen.length} targets`);
const failures: string[] = [];
for (const [name, run] of chosen) {
  const from = performance.now();
  const outcome = await run(chosen.length);
  const took = ((performance.now() - from) / 1_000).toFixed(1);
  console.log(`${name.padEnd(18)} ${outcome.cases} cases, ${outcome.failures.length} failed, ${took} s`);
  for (const failure of outcome.failures) console.log(failure);
  failures.push(...outcome.failures);
}
console.log(failures.length === 0 ? 'nothing was found' : `${failures.length} failures`);
process.exitCode = failures.length === 0 && chosen.length > 0 ? 0 : 1;
