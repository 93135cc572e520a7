import type { Sink } from '../bench.ts';
import type { EngineName } from '../flags.ts';
import { load } from '../machine.ts';
import { median } from '../quantiles.ts';
import type { BenchRow } from '../report.ts';
import type { Sizes } from '../sizes.ts';
import { crierPeer } from './crier/start-crier.ts';
import type { PeerPrograms } from './engines/programs.ts';
import type { PeerName, StartPeer } from './peer.ts';
import { plainPeer } from './plain/start-plain.ts';
import { schedulerPeer } from './schedulers/start-scheduler.ts';
import { PEER_SIZES } from './sizes.ts';
import { takeTurn, type Turn } from './turns.ts';

/** The group of all rows that are made beside peers. */
export const PEERS_GROUP = 'peers';

export interface PeersOptions {
  readonly engines: readonly EngineName[];
  readonly peers: readonly PeerName[];
  readonly sizes: Sizes['name'];
  /** Turns of each; null: as many as the sizes say. */
  readonly rounds: number | null;
  readonly programs: PeerPrograms;
}

type ContenderName = EngineName | PeerName;

/**
 * Crier and its peers on this machine, in turns: each does all of its workloads on fresh processes, then the next one,
 * and each round begins with another, so that none has the quieter machine. Rows are medians of the turns. A contender
 * that fails its check, or anything else, has no rows, and it rejects at the end.
 */
export async function measurePeers(options: PeersOptions, sink: Sink): Promise<void> {
  const sizes = PEER_SIZES[options.sizes];
  const rounds = options.rounds ?? sizes.rounds;
  const names: readonly ContenderName[] = [...options.engines, ...options.peers];
  const turns = new Map<ContenderName, Turn[]>(names.map((name) => [name, []]));
  const failures = new Map<ContenderName, unknown>();
  for (let round = 0; round < rounds; round++) {
    for (const name of rotated(names, round)) {
      if (failures.has(name)) continue;
      const say = (line: string): void => sink.say(`round ${round + 1} of ${rounds}, ${name}: ${line}`);
      say('the check');
      try {
        turns.get(name)!.push(await takeTurn(starterOf(name, options.programs), { sizes, say }));
      } catch (error) {
        failures.set(name, error);
        say(`failed: ${String(error)}`);
        continue;
      }
      // At once, so that a run that is ended has the rows of those who were done.
      if (round === rounds - 1) for (const row of rowsOf(name, turns.get(name)!)) sink.row(row);
    }
  }
  if (failures.size > 0)
    throw new AggregateError([...failures.values()], `no rows of ${[...failures.keys()].join(', ')}`);
}

function starterOf(name: ContenderName, programs: PeerPrograms): StartPeer {
  if (name === 'embedded' || name === 'cluster') return crierPeer(name);
  return name === 'plain' ? plainPeer(programs) : schedulerPeer(name, programs);
}

/** The same order, begun with another one. */
function rotated<T>(all: readonly T[], by: number): readonly T[] {
  const first = by % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

function rowsOf(name: ContenderName, turns: readonly Turn[]): readonly BenchRow[] {
  const [first] = turns;
  return [...(first?.figures ?? [])].map(([what, figures]) => ({
    group: PEERS_GROUP,
    what,
    engine: name,
    durability: first!.durability,
    rateLimit: 0,
    figures: Object.fromEntries(
      Object.keys(figures).map((figure) => [figure, median(turns.map((turn) => turn.figures.get(what)![figure]!))]),
    ),
    target: null,
    how: `medians of ${turns.length} turns, among the others' in turns`,
    load: load(),
  }));
}
