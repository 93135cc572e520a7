import type { Network } from '#domain/network.ts';

/** What one Variant costs from its creation to its end: a Post of 200 characters for one Channel, without a file. */
export interface UnitCosts {
  /** Processor time, in milliseconds: of all processes of Crier, and of one copy in each engine. */
  readonly cpuMs: { readonly crier: number; readonly cassandra: number; readonly kafka: number };
  /** Bytes on disk: of one copy in each engine, and of an embedded installation. */
  readonly bytes: { readonly cassandra: number; readonly kafka: number; readonly sqlite: number };
  /** Due Variants that owners hand to publishers in a second. */
  readonly handOversASecond: number;
}

/** As docs/benchmarks.md has them, which a test compares. */
export const MEASURED: UnitCosts = {
  cpuMs: { crier: 9.83, cassandra: 9.91, kafka: 3.89 },
  bytes: { cassandra: 1_185, kafka: 3_296, sqlite: 6_898 },
  handOversASecond: 1_838,
};

/** What is no measurement of ours. Whoever knows better numbers calculates with those. */
export interface Assumptions {
  /** Copies in Kafka, and in Cassandra. */
  readonly copies: number;
  /** Hours of the day over which all Variants are due that are not due at its peak. */
  readonly busyHours: number;
  /** How long an attempt keeps its place: a Network's answers, on average, when nothing is wrong. */
  readonly attemptSeconds: number;
  /** Which share each Network has. Without x and youtube, which take 10,000 and 100 a day from an app of ours. */
  readonly networks: Readonly<Partial<Record<Network, number>>>;
  /** Of what a machine has, so much is planned with: processors, and disks, which compactions need room on. */
  readonly usableCpu: number;
  readonly usableDisk: number;
  readonly coresANode: number;
  /** Data on one node of Cassandra. More takes too long to repair, and to copy when the node is replaced. */
  readonly nodeBytes: number;
  /** How long Cassandra's data is counted for. Posts are kept for 400 days after their end. */
  readonly days: number;
  /** As topics are made; docs/data.md. */
  readonly logDays: number;
}

export const ASSUMED: Assumptions = {
  copies: 3,
  busyHours: 12,
  attemptSeconds: 2,
  networks: { facebook: 0.35, instagram: 0.35, threads: 0.15, tiktok: 0.15 },
  usableCpu: 0.5,
  usableDisk: 0.5,
  coresANode: 8,
  nodeBytes: 1e12,
  days: 365,
  logDays: 14,
};
