import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ALL_BUGS, ROOMS } from './all-bugs.ts';
import { readCatches, writeCatches, type Recorded } from './catches.ts';
import { hunt, MAX_WORLDS } from './hunt.ts';
import type { PlantedBug, PlantedInWorlds } from './planted-bug.ts';
import { PlantedModules } from './planted-modules.ts';
import { redTest } from './red-suite.ts';

const { values } = parseArgs({
  options: {
    bug: { type: 'string', multiple: true, default: [] },
    room: { type: 'string', default: '' },
    worlds: { type: 'string', default: String(MAX_WORLDS) },
    from: { type: 'string', default: '1' },
    // Only what no world and no suite has seen so far.
    escaped: { type: 'boolean', default: false },
    // Left out: bugs that worlds see and bugs that suites see.
    kind: { type: 'string' },
    // Begins with the seed that is recorded.
    short: { type: 'boolean', default: false },
    // Prints what happened in the world that saw the bug.
    story: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const worlds = Number(values.worlds);
const from = Number(values.from);
const recorded = readCatches();
const isWanted = (bug: PlantedBug): boolean =>
  (values.kind === undefined || (values.kind === 'suites') === 'suite' in bug) &&
  (values.bug.length === 0 || values.bug.some((words) => bug.name.includes(words))) &&
  (!values.escaped || recorded[bug.name] === undefined || 'escapedWorlds' in recorded[bug.name]!);
const bugs = ROOMS.filter(({ room }) => room.includes(values.room)).flatMap((room) => room.bugs.filter(isWanted));
if (bugs.length === 0 || !Number.isSafeInteger(worlds) || !Number.isSafeInteger(from)) {
  console.error(
    'usage: npm run planted -- [--bug WORDS]... [--room ROOM] [--worlds N] [--from SEED] [--kind worlds|suites] [--escaped] [--short] [--story] [--record]',
  );
  process.exit(2);
}

/** Modules that were loaded once stay in memory, some 30 MB of them for each bug. */
const BUGS_A_PROCESS = 8;
if (bugs.length > BUGS_A_PROCESS) {
  let failures = 0;
  for (let index = 0; index < bugs.length; index += BUGS_A_PROCESS) {
    const names = bugs.slice(index, index + BUGS_A_PROCESS).flatMap(({ name }) => ['--bug', name]);
    const options = process.argv.slice(2).filter((option, at, all) => option !== '--bug' && all[at - 1] !== '--bug');
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...options, ...names], {
      stdio: 'inherit',
    });
    if (status !== 0) failures++;
  }
  process.exit(failures === 0 ? 0 : 1);
}

/** Loading the simulation takes seconds, and suites do without. */
let loaded: PlantedModules | null = null;
let escaped = 0;
let failed = 0;
for (const bug of bugs) {
  const outcome = await ('suite' in bug ? inSuite(bug) : inWorlds(bug)).catch((error: unknown) => {
    console.error(`${bug.name}: FAILS: ${String(error)}`);
    return null;
  });
  if (outcome === null) {
    failed++;
    continue;
  }
  const [found, words] = outcome;
  if ('escapedWorlds' in found) escaped++;
  console.log(`${bug.name}: ${words}`);
  if (values.record)
    writeCatches(
      { [bug.name]: found },
      ALL_BUGS.map(({ name }) => name),
    );
}
console.log(`${bugs.length} planted bugs, ${escaped} escaped, ${failed} could not be looked for`);
process.exitCode = escaped + failed === 0 ? 0 : 1;

async function inSuite(bug: Extract<PlantedBug, { suite: string }>): Promise<readonly [Recorded, string]> {
  const test = await redTest(bug);
  if (test === null) return [{ escapedWorlds: 0 }, `ESCAPES ${bug.suite}`];
  return [{ suite: bug.suite, test }, `${bug.suite}: ${test}`];
}

async function inWorlds(bug: PlantedInWorlds): Promise<readonly [Recorded, string]> {
  const known = recorded[bug.name];
  const first = values.short && known !== undefined && 'seed' in known ? [known.seed] : [];
  const seeds = new Set([...first, ...Array.from({ length: worlds }, (_, index) => from + index)]);
  const begun = process.cpuUsage();
  loaded ??= new PlantedModules();
  const caught = await hunt(loaded, bug, seeds);
  const { user, system } = process.cpuUsage(begun);
  const spent = `${((user + system) / 1e6).toFixed(1)} s`;
  if (caught === null) return [{ escapedWorlds: from + worlds - 1 }, `ESCAPES ${worlds} worlds (${spent})`];
  if (values.story) console.log(await caught.story());
  const { seed, detail } = caught;
  const checks = caught.checks.join(', ');
  return [{ seed, checks }, `seed ${seed}, ${checks}: ${detail.slice(0, 200)} (${spent})`];
}
