import type { OverdueChoice } from '#domain/restoration.ts';
import { markRestored, releaseRestored } from '#tables/repositories/restored.ts';
import { everyVariant, lookAround, type Aftermath, type Violation } from './aftermath.ts';
import { afterRestore } from './checks/after-restore.ts';
import { nothingIsSentWhileHeld } from './checks/held.ts';
import { noDefects } from './checks/no-defects.ts';
import { nothingIsStuck } from './checks/nothing-stuck.ts';
import { disturbCopy } from './disturbed-copy.ts';
import { NO_FAULTS, type Blow, type FaultPlan } from './faults.ts';
import { foundWorkspaces } from './found-workspaces.ts';
import { History } from './history.ts';
import { Nemesis } from './nemesis.ts';
import type { Plant } from './plant.ts';
import { ROLES } from './roles.ts';
import { settle } from './settle.ts';
import { until } from './until.ts';
import { Client } from './workload.ts';
import { World } from './world.ts';
import { toItsEnd } from './world-ends.ts';

export interface RestoreOptions {
  readonly seed: number;
  readonly overdue: OverdueChoice;
  readonly plant?: Plant;
  readonly trace?: boolean;
  /** Of what clients do in the run, only these steps of its script. */
  readonly only?: readonly string[];
}

export interface RestoreResult {
  readonly violations: readonly Violation[];
  readonly world: World;
  /** Variants by how they ended. */
  readonly ends: Readonly<Record<string, number>>;
  /** Of the Variants in the backup: those that the first installation published without the backup knowing. */
  readonly publishedMeanwhile: number;
}

const PROCESSES_A_ROLE = 2;
const CLIENTS = 3;
const DEEDS = 10;
/** Only what makes Posts: what a Member did after the backup is lost, and no check can know it. */
const ACTIONS = { 'create now': 5, 'create later': 8, 'send one command twice': 2, cancel: 1 } as const;
/** Calls are slow or cut, and processes crash: attempts are found at every step. */
const FAULTS: FaultPlan = { ...NO_FAULTS, crashAtCall: 0.002, request: { slow: 0.05, cut: 0.1 } };
/** Of the others, holds are what is tried here, and no clock leaps on the day on which an installation is restored. */
const BLOWS: readonly Blow[] = [
  ...(['crash', 'pause', 'overlap', 'rebalance', 'redeliver', 'duplicate', 'network', 'outage', 'stall'] as const),
];
const MAX_BACKUP_AFTER_MS = 100_000;
const MAX_GOES_ON_MS = 200_000;
/** What was on its way when the processes were killed arrives meanwhile. */
const WIRE_EMPTY_MS = 75_000;
const HELD_MS = 20_000;
/** The copy works for so long before its faults end. */
const RELEASED_MS = 60_000;

/**
 * One run: an installation works until all its processes are killed. Its tables and its log go back to a backup that
 * was taken a while before, while what it published stays live. The copy is released, and works until nothing is left.
 */
export async function simulateRestore(options: RestoreOptions): Promise<RestoreResult> {
  const world = new World(options);
  const history = new History();
  return toItsEnd(
    world,
    history,
    () => restoreWorld(world, history, options),
    (violation) => ({ violations: [violation], world, ends: {}, publishedMeanwhile: 0 }),
  );
}

async function restoreWorld(world: World, history: History, { overdue }: RestoreOptions): Promise<RestoreResult> {
  const { engine, witness, truth } = world;
  await world.migrate();
  const startAll = (): void => {
    for (const role of ROLES)
      for (let number = 1; number <= PROCESSES_A_ROLE; number++) world.start(`${role}-${number}`);
  };
  startAll();
  const workspaces = await until(world, foundWorkspaces(world, history, engine.between(1, 3)));
  world.workspaceIds = workspaces.map(({ id }) => id);
  world.faults = { ...FAULTS, ...drawBlows(world, 'before') };
  const nemesis = new Nemesis(world, 'before');
  nemesis.begin();
  for (let number = 1; number <= CLIENTS; number++)
    void new Client(world, history, `client-${number}`, workspaces).run(DEEDS, ACTIONS).catch(() => {});
  await engine.run(engine.now + engine.between(20_000, MAX_BACKUP_AFTER_MS));
  const backupAt = engine.now;
  const putBack = world.backup();
  const known = await lookAround(world, history, workspaces, false);
  await engine.run(engine.now + engine.between(0, MAX_GOES_ON_MS));
  nemesis.end();
  world.kill();
  await engine.run(engine.now + WIRE_EMPTY_MS);
  const gone = await lookAround(world, history, workspaces, false);

  putBack();
  await markRestored(truth, { backupAt, restoredAt: engine.now });
  const hold = { network: null, workspaceId: null, from: engine.now, until: null as number | null };
  witness.holds.push(hold);
  startAll();
  await disturbCopy(world, workspaces, HELD_MS + RELEASED_MS);
  await engine.run(engine.now + HELD_MS);
  hold.until = engine.now;
  const ids = { token: () => `operator ${engine.now}` };
  await releaseRestored({ store: truth, ids }, { overdue, by: 'operator', now: engine.now });
  world.faults = { ...NO_FAULTS, crashAtCall: FAULTS.crashAtCall, ...drawBlows(world, 'afterwards') };
  const lastNemesis = new Nemesis(world, 'afterwards');
  lastNemesis.begin();
  await engine.run(engine.now + RELEASED_MS);
  lastNemesis.end();
  const quiet = await settle(world, workspaces);
  const after = await lookAround(world, history, workspaces, quiet);
  const violations = [
    ...(await noDefects(after)),
    ...(await nothingIsStuck(after)),
    ...(await nothingIsSentWhileHeld(after)),
    ...afterRestore({ after, known, gone, releasedAt: hold.until, overdue }),
  ];
  return { violations, world, ends: endsOf(after), publishedMeanwhile: publishedMeanwhile(known, gone) };
}

/** Half of the kinds are off, so that the others have more effect. */
function drawBlows({ engine }: World, part: string): Pick<FaultPlan, 'blows' | 'blowEveryMs'> {
  const dice = engine.diceOf(`blows ${part}`);
  const drawn = BLOWS.map((blow) => [blow, dice.chance(0.5) ? 0.2 + dice.random() : 0] as const);
  return {
    blows: { ...NO_FAULTS.blows, ...Object.fromEntries(drawn) },
    blowEveryMs: dice.pick([8_000, 20_000, 40_000]),
  };
}

function endsOf(after: Aftermath): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { variant } of everyVariant(after)) {
    const end = variant.failureReason ?? variant.status;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

function publishedMeanwhile(known: Aftermath, gone: Aftermath): number {
  const open = new Set(
    everyVariant(known)
      .filter(({ variant }) => variant.status === 'scheduled' || variant.status === 'publishing')
      .map(({ variant }) => variant.id),
  );
  return everyVariant(gone).filter(({ variant }) => variant.status === 'published' && open.has(variant.id)).length;
}
