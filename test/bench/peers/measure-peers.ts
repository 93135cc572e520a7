import { JVM_WORDS, type JvmProfile } from '#testing/engines/jvm.ts';
import type { Sink } from '../bench.ts';
import type { EngineName } from '../flags.ts';
import { load } from '../machine.ts';
import { median } from '../quantiles.ts';
import { sqliteFloor } from '../rows/floors.ts';
import type { Sizes } from '../sizes.ts';
import { crierPeer } from './crier/start-crier.ts';
import type { PeerPrograms } from './engines/programs.ts';
import type { PeerName, StartPeer } from './peer.ts';
import { plainPeer } from './plain/start-plain.ts';
import { rowNames } from './row-names.ts';
import { schedulerPeer } from './schedulers/start-scheduler.ts';
import { PEER_SIZES } from './sizes.ts';
import { takeTurn, type Turn } from './turns.ts';
import type { Figures } from './workloads/peer-run.ts';
import type { Workload } from './workloads/workload.ts';

/** The group of all rows that are made beside peers. */
export const PEERS_GROUP = 'peers';

type ContenderName = EngineName | PeerName;

interface TurnsPlan {
  readonly sizes: Sizes['name'];
  /** Turns of each; null: as many as the sizes say. */
  readonly rounds: number | null;
  readonly workloads: readonly Workload[];
}

export interface PeersOptions extends TurnsPlan {
  readonly engines: readonly EngineName[];
  readonly peers: readonly PeerName[];
  readonly programs: PeerPrograms;
  /** Of the engines of a cluster. */
  readonly jvm: JvmProfile;
}

/** Crier and its peers on this machine, in turns. */
export async function measurePeers(options: PeersOptions, sink: Sink): Promise<void> {
  const names: readonly ContenderName[] = [...options.engines, ...options.peers];
  await measureInTurns(names, (name) => starterOf(name, options), options, sink);
}

function starterOf(name: ContenderName, { programs, jvm }: PeersOptions): StartPeer {
  if (name === 'embedded' || name === 'cluster') return crierPeer(name, jvm);
  return name === 'plain' ? plainPeer(programs) : schedulerPeer(name, programs);
}

/**
 * Each does its workloads on fresh processes, then the next one, and each round begins with another, so that none has
 * the quieter machine. Rows are medians of the turns. A contender that fails is not measured again: its rows are those
 * of the turns before, and it rejects at the end.
 */
export async function measureInTurns(
  names: readonly ContenderName[],
  starterOf: (name: ContenderName) => StartPeer,
  plan: TurnsPlan,
  sink: Sink,
): Promise<void> {
  const sizes = PEER_SIZES[plan.sizes];
  const rounds = plan.rounds ?? sizes.rounds;
  const turns = new Map<ContenderName, Turn[]>(names.map((name) => [name, []]));
  const failures = new Map<ContenderName, unknown>();
  const floors: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    if (names.includes('embedded') && plan.workloads.includes('floor')) {
      sink.say(`round ${round + 1} of ${rounds}: the floor`);
      const row: [string, Figures] = [rowNames(sizes).floor, await sqliteFloor(sizes)];
      floors.push({ durability: FLOOR_DURABILITY, jvm: null, figures: new Map([row]) });
      if (round === rounds - 1) emitRows('embedded', floors, sink);
    }
    for (const name of rotated(names, round)) {
      if (failures.has(name)) continue;
      const say = (line: string): void => sink.say(`round ${round + 1} of ${rounds}, ${name}: ${line}`);
      say('the check');
      try {
        turns.get(name)!.push(await takeTurn(starterOf(name), { sizes, workloads: plan.workloads, say }));
      } catch (error) {
        failures.set(name, error);
        say(`failed: ${String(error)}`);
      }
      // At once, so that a run that is ended has the rows of those who were done.
      if (round === rounds - 1 || failures.has(name)) emitRows(name, turns.get(name)!, sink);
    }
  }
  if (failures.size > 0)
    throw new AggregateError([...failures.values()], `it failed beside the others: ${[...failures.keys()].join(', ')}`);
}

const FLOOR_DURABILITY = 'SQLite WAL, FULL';

/** The same order, begun with another one. */
function rotated<T>(all: readonly T[], by: number): readonly T[] {
  const first = by % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

/** What should be 0: the median of several turns would hide the one in which it was not. */
const FAULTS: ReadonlySet<string> = new Set(['lost', 'doubled', 'early', 'not ended', 'not sent, and said so']);

function emitRows(name: ContenderName, turns: readonly Turn[], sink: Sink): void {
  const [first] = turns;
  for (const [what, figures] of first?.figures ?? []) {
    const own = turns.map((turn) => turn.figures.get(what)!);
    const over = (figure: string): number => {
      const values = own.map((each) => each[figure]!);
      return FAULTS.has(figure) ? Math.max(...values) : median(values);
    };
    const { durability, jvm } = first!;
    sink.row({
      ...{ group: PEERS_GROUP, what, engine: name, durability, jvm, rateLimit: 0 },
      figures: Object.fromEntries(Object.keys(figures).map((figure) => [figure, over(figure)])),
      turns: own,
      target: null,
      how: `medians of ${turns.length} turns, faults the most of any, among the others' in turns${jvm === null ? '' : `; ${JVM_WORDS[jvm]}`}`,
      load: load(),
    });
  }
}
