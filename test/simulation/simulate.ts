import type { ActionShares } from './actions.ts';
import { lookAround, type Aftermath, type Violation } from './aftermath.ts';
import type { AimedPause } from './boundaries.ts';
import { CHECKS } from './checks/all.ts';
import { summarise, summariseUnended, type Summary } from './summary.ts';
import { drawFaults, drawFull, drawGone, drawRowsAtOnce, hasRates, withRatesOf, type FaultPlan } from './faults.ts';
import { foundWorkspaces } from './found-workspaces.ts';
import { History } from './history.ts';
import { memberClients } from './members/member-client.ts';
import { aMonthLater, drawIsMonthLater } from './month-later.ts';
import { drawScope, hold, release } from './brake.ts';
import { Nemesis } from './nemesis.ts';
import type { Plant } from './plant.ts';
import type { Dice } from './dice.ts';
import { settle, SETTLE_STEP_MS, SKIPPED_MS, WIRE_EMPTY_MS } from './settle.ts';
import { suspendSender } from './suspended-sender.ts';
import { until } from './until.ts';
import { Client } from './workload.ts';
import { World } from './world.ts';
import { toItsEnd } from './world-ends.ts';
import { drawParts, furtherRoles, type Part } from './roles.ts';

export interface SimulateOptions {
  readonly seed: number;
  /** Replaces the faults that the seed draws. */
  readonly faults?: Partial<FaultPlan>;
  /** What is put between processes and their ports, such as a log that loses records. */
  readonly plant?: Plant;
  /** What clients do, and how often in relation to the rest; left out: all that they can do. */
  readonly actions?: ActionShares;
  /** Records everything that happens, for reading. */
  readonly trace?: boolean;
  /** What runs beside the roles of every world; left out: as the seed draws. */
  readonly parts?: readonly Part[];
  /** One Workspace, and one client that does so many things; left out: as the seed draws. */
  readonly deeds?: number;
  /** Holds one process up between two of its steps. */
  readonly pauseAt?: AimedPause;
  /** Of what clients and nemesis do in the run, only these steps of its script. */
  readonly only?: readonly string[];
  /** A world that takes more does not come to its end. */
  readonly maxSteps?: number;
  readonly onStep?: (at: number, label: string) => void;
}

export interface SimulationResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** A hash of everything that happened: the same for the same seed. */
  readonly fingerprint: string;
  readonly steps: number;
  readonly summary: Summary;
  readonly world: World;
}

const PROCESSES_A_ROLE = 2;
const MINUTE_MS = 60_000;
const LINGER_MS = 120_000;
/** Long enough for the outbox of the last turn, and to notice work that should not come any more. */
const HELD_FOR_MS = 70 * MINUTE_MS;
const AFTERWARDS_MS = 20_000;
const SUSPENDED_SHARE = 0.1;
const DOWN_SHARE = 0.1;
/** In the other worlds what is weeks ahead is ended by a Disconnect. */
const FAR_SHARE = 0.3;
const RIGHT_AGAIN_MS = MINUTE_MS;
/** Half of the times what came due meanwhile is published afterwards, half of the times its window is over. */
const DOWN_FOR_MS = [
  { least: 20 * MINUTE_MS, most: 50 * MINUTE_MS },
  { least: 130 * MINUTE_MS, most: 200 * MINUTE_MS },
] as const;

/**
 * One run: a world, clients and faults drawn from the seed; then calm, until no work is left; then all checks. A world
 * that does not come to its end has violated something, too.
 */
export async function simulate(options: SimulateOptions): Promise<SimulationResult> {
  const { maxOffsetMs } = options.faults ?? {};
  const parts = options.parts ?? drawParts(options.seed);
  const world = new World({ ...options, parts, ...(maxOffsetMs !== undefined && { maxOffsetMs }) });
  const history = new History();
  const resultOf = (violations: readonly Violation[], summary: Summary): SimulationResult => ({
    seed: options.seed,
    violations,
    fingerprint: world.engine.fingerprint(),
    steps: world.engine.steps,
    summary,
    world,
  });
  return toItsEnd(
    world,
    history,
    async () => {
      const after = await simulateWorld(world, history, options);
      const violations: Violation[] = [];
      for (const check of CHECKS) violations.push(...(await check(after)));
      if (violations.length === 0 && drawIsMonthLater(world)) violations.push(...(await aMonthLater(after)));
      return resultOf(violations, summarise(after));
    },
    (violation) => resultOf([violation], summariseUnended(world, history)),
  );
}

async function simulateWorld(world: World, history: History, options: SimulateOptions): Promise<Aftermath> {
  const { engine } = world;
  await world.migrate();
  for (const role of world.roles)
    for (let number = 1; number <= PROCESSES_A_ROLE; number++) world.start(`${role}-${number}`);
  const founding = foundWorkspaces(world, history, options.deeds === undefined ? engine.pick([1, 2, 2, 4]) : 1);
  const workspaces = await until(world, founding);
  world.workspaceIds = workspaces.map(({ id }) => id);
  // Some runs begin shortly before access tokens expire.
  if (engine.chance(0.3)) world.leap(engine.between(112, 119) * MINUTE_MS);
  await world.control('POST', '/sandbox/timing', { network: 'x', factor: engine.pick([0.01, 1]) });
  await world.control('POST', '/sandbox/timing', { network: 'threads', factor: engine.pick([0.01, 1]) });

  const drawn = drawFaults(engine);
  const full = world.isOneEngine && hasRates(drawn) ? drawFull(engine) : 0;
  const gone = !world.isOneEngine && hasRates(drawn) ? drawGone(engine) : {};
  const rowsAtOnce = hasRates(drawn) ? drawRowsAtOnce(engine) : 0;
  const faults = {
    ...drawn,
    store: { ...drawn.store, rowsAtOnce },
    log: { ...drawn.log, full, ...gone },
    maxOffsetMs: world.maxOffsetMs,
    ...options.faults,
  };
  const clients = Array.from(
    { length: options.deeds === undefined ? engine.between(2, 5) : 1 },
    (_, index) => new Client(world, history, `client-${index + 1}`, workspaces),
  );
  if (world.parts.includes('webhooks')) await until(world, clients[0]!.registerFirst());
  const members = memberClients(world, history, workspaces);
  await act(world, 'first', faults, () =>
    Promise.all([
      ...clients.map((client) => client.run(options.deeds ?? engine.between(6, 13), options.actions)),
      ...members.map((client) => client.run(options.deeds ?? engine.diceOf('members').between(6, 11))),
    ]),
  );
  if (members.length > 0) await until(world, members[0]!.tryAll());
  const suspended = engine.diceOf('suspended');
  if (suspended.chance(SUSPENDED_SHARE) && world.script.step('suspended', 'a sender is suspended'))
    await suspendSender(world, clients[0]!, suspended);
  const down = engine.diceOf('down');
  if (down.chance(DOWN_SHARE) && world.script.step('down', 'all processes are down')) await allDown(world, down);
  const far = engine.diceOf('far');
  const isReached =
    furtherRoles(world.parts).length === 0 && far.chance(FAR_SHARE) && world.script.step('far', 'weeks pass');
  if (!isReached) await until(world, Promise.all(clients.map((client) => client.endFar())));
  const dice = engine.diceOf('hold');
  if (dice.chance(0.25) && world.script.step('hold', 'hold for hours')) await holdForHours(world, dice);
  const first = await settle(world, workspaces, isReached ? { far } : {});
  // By now it is known which Variants failed, and why.
  await act(world, 'second', faults, () => clients[0]!.retryAll());
  const quiet = (await settle(world, workspaces)) && first;
  await engine.run(engine.now + AFTERWARDS_MS);

  return lookAround(world, history, workspaces, quiet);
}

/**
 * Longer than the missed window, in calm: what comes due meanwhile, and what was due when it began, is not missed.
 */
async function holdForHours(world: World, dice: Dice): Promise<void> {
  const { engine } = world;
  const scope = drawScope(world, dice);
  await hold(world, scope);
  const end = engine.now + HELD_FOR_MS;
  while (engine.now < end) {
    // First: what is held takes two seconds to be in force, and no skipped second is one of these.
    await engine.run(engine.now + SETTLE_STEP_MS);
    world.leap(SKIPPED_MS);
  }
  await release(world, scope);
}

/**
 * Every process ends, as when a whole site loses its power, and starts again hours later. First the owners of shards
 * see that their clocks are right again: a watermark that a leap of hours left can not be told from a right one once
 * these hours have passed. Processes outside of the simulation do not go by such a leap at all (`SteadyClock`).
 */
async function allDown(world: World, dice: Dice): Promise<void> {
  const { engine, witness } = world;
  await engine.run(engine.now + RIGHT_AGAIN_MS);
  const slots = [...world.processes.keys()];
  const { least, most } = dice.pick(DOWN_FOR_MS);
  const downMs = dice.between(least, most);
  witness.count('all processes are down');
  witness.disturb('down', engine.now, engine.now + downMs + WIRE_EMPTY_MS);
  world.kill();
  await engine.run(engine.now + WIRE_EMPTY_MS);
  world.leap(downMs);
  for (const slot of slots) world.start(slot);
}

/** Runs `work`, and a little more, with faults; then ends them. */
async function act(world: World, name: string, faults: FaultPlan, work: () => Promise<unknown>): Promise<void> {
  const { engine } = world;
  engine.weather = 'wild';
  world.faults = withRatesOf(world.script, name, faults);
  if (hasRates(world.faults)) world.witness.disturb('rates', engine.now, null);
  const nemesis = new Nemesis(world, name);
  nemesis.begin();
  world.boundaries.begin();
  await until(world, work());
  await engine.run(Math.max(engine.now + engine.between(0, LINGER_MS), world.awayUntil));
  world.boundaries.end();
  nemesis.end();
  engine.weather = 'calm';
}
