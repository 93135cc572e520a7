import { parseArgs } from 'node:util';
import { JVM_PROFILES, type JvmProfile } from '#testing/engines/jvm.ts';
import { PEERS, type PeerName } from './peers/peer.ts';
import { WORKLOADS, type Workload } from './peers/workloads/workload.ts';
import { FULL, QUICK, SMOKE, type Sizes } from './sizes.ts';

export const ENGINES = ['embedded', 'cluster'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Groups of rows, in the order they run. */
export const GROUPS = [
  'floor',
  'idle',
  'turn',
  'post',
  'lateness',
  'instant',
  'channel',
  'held',
  'limited',
  'durable',
  'flushed',
  'backlog',
  'list',
  'mcp',
  'traces',
  'networks',
  'webhooks',
  'media',
  'app',
  'footprint',
  'fairness',
  'backup',
  'restore',
  'steady',
] as const;
export type Group = (typeof GROUPS)[number];

/** Takes two hours, and is run when it is asked for by name. */
const BY_NAME: readonly Group[] = ['steady'];

export interface BenchFlags {
  readonly engines: readonly EngineName[];
  readonly only: readonly Group[];
  readonly sizes: Sizes;
  /** Folder for processor profiles of the server; null: none. */
  readonly profile: string | null;
  /** Of the group `fairness`, by a part of their names; null: all. */
  readonly pool: string | null;
  /** The file of the results; null: a new one in bench-results. */
  readonly results: string | null;
  /** A revision whose processes are measured in turn with those of these files; null: only these are. */
  readonly compare: string | null;
  /** What Crier is measured beside; null: Crier alone is measured. */
  readonly peers: readonly PeerName[] | null;
  /** What is measured of Crier and of each peer. */
  readonly workloads: readonly Workload[];
  /** How Kafka and Cassandra are set, where they take part. */
  readonly jvm: JvmProfile;
  /** Runs of each side of a comparison, or turns of each peer; null: as many as it takes for a figure to be quoted. */
  readonly rounds: number | null;
}

export const USAGE = `Usage: node test/bench/main.ts [--engine=embedded|cluster] [--only=${GROUPS.join('|')},...] [--quick|--smoke] [--profile=FOLDER] [--pool=NAME] [--jvm=${JVM_PROFILES.join('|')}] [--results=FILE]
       node test/bench/main.ts --compare=REVISION [--rounds=N] [any of the above]
       node test/bench/main.ts --peers[=${PEERS.join('|')},...] [--workloads=${WORKLOADS.join('|')},...] [--rounds=N] [--engine=...] [--jvm=...] [--quick|--smoke] [--results=FILE]
`;

/** Throws an Error with one line for the person who typed the command. */
export function benchFlags(args: readonly string[]): BenchFlags {
  const { values } = parseArgs({
    // Alone it means all of them.
    args: args.map((arg) => (arg === '--peers' ? `--peers=${PEERS.join()}` : arg)),
    options: {
      engine: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean' },
      smoke: { type: 'boolean' },
      profile: { type: 'string' },
      pool: { type: 'string' },
      results: { type: 'string' },
      compare: { type: 'string' },
      peers: { type: 'string' },
      workloads: { type: 'string' },
      jvm: { type: 'string' },
      rounds: { type: 'string' },
    },
  });
  if (values.workloads !== undefined && values.peers === undefined)
    throw new Error('--workloads is of --peers; without it, --only chooses');
  return {
    // Beside peers, which are one process or a few, the cluster is measured when it is asked for.
    engines: chosen('engine', values.engine ?? (values.peers === undefined ? undefined : 'embedded'), ENGINES),
    only: chosen('only', values.only ?? GROUPS.filter((group) => !BY_NAME.includes(group)).join(), GROUPS),
    sizes: values.smoke === true ? SMOKE : values.quick === true ? QUICK : FULL,
    profile: values.profile ?? null,
    pool: values.pool ?? null,
    results: values.results ?? null,
    compare: values.compare ?? null,
    peers: values.peers === undefined ? null : chosen('peers', values.peers, PEERS),
    workloads: chosen('workloads', values.workloads, WORKLOADS),
    jvm: oneOf('jvm', values.jvm ?? 'tests', JVM_PROFILES),
    rounds: values.rounds === undefined ? null : wholeNumber('rounds', values.rounds),
  };
}

function wholeNumber(flag: string, given: string): number {
  const number = Number(given);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${flag}=${given}: a whole number from 1`);
  return number;
}

function oneOf<const T extends string>(flag: string, given: string, all: readonly T[]): T {
  const found = all.find((name) => name === given);
  if (found === undefined) throw new Error(`--${flag}=${given}: there is ${all.join(', ')}`);
  return found;
}

function chosen<const T extends string>(flag: string, given: string | undefined, all: readonly T[]): readonly T[] {
  if (given === undefined) return all;
  const names = given.split(',');
  const unknown = names.find((name) => !(all as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`--${flag}=${unknown}: there is ${all.join(', ')}`);
  return all.filter((name) => names.includes(name));
}
