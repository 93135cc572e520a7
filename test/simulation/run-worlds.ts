import type { AskedWorlds } from './arguments.ts';
import type { Plant } from './plant.ts';
import { simulateRestore } from './restore.ts';
import { simulate } from './simulate.ts';
import { commandFor, restoredCommandFor, storyOf, storyOfRestored } from './story.ts';
import { addCounts } from './summary.ts';

/** A story repeats its world some hundred times; what fails in many worlds is mostly one thing. */
const MAX_STORIES = 3;

/** One world, however it is run. */
interface RunWorld {
  readonly violations: readonly { readonly check: string; readonly detail: string }[];
  readonly steps: number;
  /** By kind of count. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly trace: (words: readonly string[]) => readonly string[];
  readonly command: string;
  readonly story: () => Promise<string>;
}

/**
 * Runs the worlds one after the other, and says what failed: the first few as stories, each other one by the line that
 * repeats it. Returns the seeds that failed.
 */
export async function runWorlds(
  asked: AskedWorlds,
  say: (text: string) => void,
  plant?: Plant,
): Promise<readonly number[]> {
  const { first, runs } = asked;
  const counts: Record<string, Record<string, number>> = {};
  const failed: number[] = [];
  let [steps, run] = [0, 0];
  const startedAt = performance.now();
  for (let seed = first; seed < first + runs; seed++) {
    const world = await runWorld(asked, seed, plant);
    run++;
    steps += world.steps;
    for (const [kind, each] of Object.entries(world.counts)) addCounts((counts[kind] ??= {}), each);
    if (asked.options.trace === true) say(world.trace(asked.about).join('\n'));
    const [violation] = world.violations;
    if (violation === undefined) continue;
    failed.push(seed);
    say(failed.length <= MAX_STORIES ? await world.story() : inShort(seed, world));
    if (!asked.keepGoing) break;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const outcome = failed.length === 0 ? 'all well' : `${failed.length} failed, of seeds ${failed.join(', ')}`;
  say(JSON.stringify(counts, null, 2));
  say(`${run} of ${runs} runs from seed ${first}: ${outcome}; ${steps} steps in ${seconds} s`);
  return failed;
}

async function runWorld({ options, restored }: AskedWorlds, seed: number, plant?: Plant): Promise<RunWorld> {
  const planted = plant && { plant };
  if (restored === null) {
    const run = await simulate({ ...options, ...planted, seed });
    const { seen, variants, unconfirmed, events } = run.summary;
    return {
      ...{ violations: run.violations, steps: run.steps, counts: { seen, variants, unconfirmed, events } },
      trace: (words) => run.world.trace.about(words),
      command: commandFor(seed, options.only ?? null, options),
      story: () => storyOf(run, { ...options, ...planted }),
    };
  }
  const { only, trace } = options;
  const asked = { seed, overdue: restored, ...planted };
  const run = await simulateRestore({ ...asked, ...(only && { only }), ...(trace && { trace }) });
  return {
    ...{ violations: run.violations, steps: run.world.engine.steps, counts: { ends: run.ends } },
    trace: (words) => run.world.trace.about(words),
    command: restoredCommandFor(seed, only ?? null, asked),
    story: () => storyOfRestored(run, asked),
  };
}

function inShort(seed: number, { violations, command }: RunWorld): string {
  const { check, detail } = violations[0]!;
  return `seed ${seed} failed: ${check}: ${detail.split('\n')[0]}\n  ${command}`;
}
