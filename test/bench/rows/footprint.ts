import { createHash } from 'node:crypto';
import { by, type Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import { attemptsEnd, schedule } from '../due-posts.ts';
import { cpuMs } from '../machine.ts';
import { buildPopulation, type Population, type PopulationPlan } from '../population.ts';

const WITHIN_MS = 900_000;
const EMPTY = 'empty';
const FULL = 'footprint';

/**
 * What one Variant costs over its life, from being created to being published: bytes on disk, and processor time of
 * Crier and of each engine. A second installation without Posts is subtracted.
 */
export async function footprints(bench: Bench): Promise<void> {
  const { sizes, site } = bench;
  const plan = { workspaces: sizes.workspaces, channelsAWorkspace: sizes.channelsAWorkspace, keysAWorkspace: 1 };
  const empty = await (await site.install(EMPTY)).start();
  await populate(empty, plan).finally(() => empty.stop());
  const server = await (await site.install(FULL)).start();
  const { variants, spent } = await (async () => {
    const population = await populate(server, plan);
    const first = Date.now() + by(site.engine, 2, 10) * sizes.leadMs + by(site.engine, 5, 15) * sizes.footprint;
    const dueTimes = Array.from({ length: sizes.footprint }, (_, index) => first + index * (1000 / sizes.dueASecond));
    const before = costsSoFar(bench, server);
    bench.say(`creating and publishing ${sizes.footprint} Variants`);
    const planned = await schedule(server, population, dueTimes, 'Footprint', textOf);
    // Null: some were refused as they came too late for their times, and all others have ended.
    if (planned !== null) await attemptsEnd(server, 0, planned, WITHIN_MS);
    const ended = await server.attemptsEnded();
    const costs = Object.entries(costsSoFar(bench, server));
    const each = costs.map(([name, ms]) => [`${name} cpu ms`, (ms - before[name]!) / ended] as const);
    return { variants: ended, spent: each };
  })().finally(() => server.stop());
  const bytes = await storedFor(bench, variants);
  bench.add({
    group: 'footprint',
    what: 'one Variant, from its creation to its end',
    rateLimit: 0,
    figures: { ...bytes, ...Object.fromEntries(spent) },
    target: null,
    how: `${variants} Posts of 200 characters with one Variant of x each, by 100 a request, ${sizes.dueASecond} due a second, no file and no endpoint; bytes beyond those of an installation without Posts, after its servers have stopped; one copy in Kafka and in Cassandra`,
  });
}

const TRIES = 5;

/** Once more where an outcome was not known in time: a busy machine makes a further Workspace, which costs little. */
async function populate(server: CrierServer, plan: PopulationPlan): Promise<Population> {
  for (let left = TRIES; ; left--) {
    try {
      return await buildPopulation(server, plan);
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

async function storedFor({ site }: Bench, variants: number): Promise<Readonly<Record<string, number>>> {
  const full = await site.storedBytes(FULL);
  const empty = await site.storedBytes(EMPTY);
  return Object.fromEntries(
    Object.entries(full).map(([name, bytes]) => [`${name} bytes`, (bytes - empty[name]!) / variants]),
  );
}

/** Processor time by process. */
function costsSoFar({ site }: Bench, server: CrierServer): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries({ crier: server.pid, ...site.pids }).map(([name, pid]) => [name, cpuMs(pid)]),
  );
}

const WORDS = 'a of and the our this week new book read more with launch on sale city music we are open now for every'
  .split(' ')
  .concat('garden coffee bread train summer winter photo studio friday market ticket street river recipe'.split(' '));
const CHARACTERS = 200;

/** Compresses as language does, and not as a sentence that is repeated. */
function textOf(index: number): string {
  let text = `${index}:`;
  for (let part = 0; text.length < CHARACTERS; part++)
    for (const byte of createHash('sha256').update(`${index} ${part}`).digest())
      text += ` ${WORDS[byte % WORDS.length]!}`;
  return text.slice(0, CHARACTERS).trim();
}
