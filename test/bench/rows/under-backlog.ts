import { by, type Bench } from '../bench.ts';
import { fillBacklog } from '../backlog.ts';
import { median } from '../quantiles.ts';
import { target } from '../report.ts';
import { buildPopulation } from '../population.ts';
import { costsInTurn, type Costs, type Side } from '../sides.ts';

const DAY_MS = 86_400_000;
const CHANNELS = 4;
const MOST_TIME = 1.05;
const MOST_PROCESSOR = 1.1;

/**
 * One create and one fire, on an empty installation and on one with a million outstanding Variants. Both serve side by
 * side and are measured in turn, so that other work on the machine affects both.
 */
export async function underBacklog(bench: Bench): Promise<void> {
  const empty = await prepare(bench, 'empty', 0);
  const filled = await prepare(bench, 'filled', bench.sizes.outstanding);
  try {
    const [ofEmpty, ofFilled] = await costsInTurn(bench, [empty, filled], 'against a backlog');
    addRows(bench, ofEmpty, ofFilled);
  } finally {
    for (const { server } of [empty, filled]) await server.stop();
  }
}

async function prepare(bench: Bench, name: string, outstanding: number): Promise<Side> {
  const installation = await bench.site.install(name);
  const server = await installation.start();
  const population = await buildPopulation(server, {
    workspaces: Math.min(4, bench.sizes.workspaces),
    channelsAWorkspace: CHANNELS,
    keysAWorkspace: 1,
  });
  if (outstanding === 0) return { server, population };
  await server.stop();
  bench.say(`filling in ${outstanding} outstanding Variants`);
  const engine = await installation.open();
  const now = Date.now();
  const plan = {
    writtenFrom: now - 90 * DAY_MS,
    writtenUntil: now,
    dueFrom: now + DAY_MS,
    dueUntil: now + 91 * DAY_MS,
  };
  await fillBacklog(engine, {
    workspaceIds: population.workspaces.map(({ workspaceId }) => workspaceId),
    posts: outstanding,
    ...plan,
  }).finally(() => engine.close());
  return { server: await installation.start(), population };
}

function addRows({ add, sizes, site }: Bench, empty: Costs, filled: Costs): void {
  const whose = by(site.engine, 'the process', 'the process and the engines');
  const how = `${sizes.backlogRounds} rounds of ${sizes.backlogRound} in turn on both, medians; processor time of ${whose}; filled through tables and timers`;
  const row = (
    what: string,
    unit: string,
    most: number,
    sides: readonly [readonly number[], readonly number[]],
  ): void => {
    const [before, after] = sides;
    const figures = {
      [`empty ${unit}`]: median(before),
      [`full ${unit}`]: median(after),
      ratio: median(after) / median(before),
    };
    add({
      group: 'backlog',
      what: `${what}, 0 against ${sizes.outstanding} outstanding`,
      rateLimit: 0,
      figures,
      target: target(`ratio <= ${most}`, figures, { atMost: { ratio: most } }),
      how,
    });
  };
  row('one create, p50', 'ms', MOST_TIME, [empty.createMs, filled.createMs]);
  row('one create, processor', 'cpu ms', MOST_PROCESSOR, [empty.createCpuMs, filled.createCpuMs]);
  row('one fire, processor', 'cpu ms', MOST_PROCESSOR, [empty.fireCpuMs, filled.fireCpuMs]);
}
