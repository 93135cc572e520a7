import type { Network } from '#domain/network.ts';
import { MAX_AT_ONCE } from '#networks/contract/budgets.ts';
import { networkDefinitions } from '#networks/registry.ts';
import { CHANNELS_AT_ONCE } from '#services/publisher/publish/service.ts';
import type { Peak } from './peak.ts';
import type { Assumptions, UnitCosts } from './unit-costs.ts';

/** What a cluster is made of for so many Variants a day, with the share of them at its busiest instant. */
export interface Plan {
  readonly variantsADay: number;
  readonly shareAtOnce: number;
  /** Attempts that can begin in a second, over all Networks. */
  readonly attemptsASecond: number;
  /** Attempts at the busiest Network that all its publishers make at once: CRIER_NETWORK_AT_ONCE. */
  readonly atOnce: number;
  /** `publisher`: of each Network. */
  readonly pods: { readonly ingress: number; readonly workspace: number; readonly publisher: number };
  /** Cores that all pods of Crier use in the peak. */
  readonly crierCores: number;
  readonly cassandra: { readonly nodes: number; readonly bytesANode: number };
  readonly kafka: { readonly brokers: number; readonly bytesABroker: number };
}

/** Two outlive a restart, three copies need as many machines. */
const LEAST_PODS = 2;
const WHOLE_SECONDS = 60;
/** Of the places that a busy minute fills; the rest is for attempts that take longer. */
const USABLE_PLACES = 0.9;
/** Of the processor time of a Variant; an estimate, as roles were measured in one process. */
const WORK = { ingress: 0.25, workspace: 0.25, publishers: 0.5 };

export function planFor(variantsADay: number, shareAtOnce: number, costs: UnitCosts, assumed: Assumptions): Plan {
  const { copies, usableCpu, usableDisk, coresANode } = assumed;
  const attemptsASecond = peakRate(variantsADay, shareAtOnce, assumed);
  const cores = (ms: number): number => (attemptsASecond * ms) / 1_000;
  const nodesFor = (ms: number): number => cores(ms * copies) / usableCpu / coresANode;
  const kept = variantsADay * costs.bytes.cassandra * assumed.days * copies;
  const inLog = variantsADay * costs.bytes.kafka * assumed.logDays * copies;
  const nodes = atLeast(copies, kept / assumed.nodeBytes, nodesFor(costs.cpuMs.cassandra));
  const brokers = atLeast(copies, inLog / assumed.nodeBytes, nodesFor(costs.cpuMs.kafka));
  // A process uses one core for its JavaScript.
  const podsFor = (share: number): number => atLeast(LEAST_PODS, cores(costs.cpuMs.crier * share) / usableCpu);
  const networks = Object.keys(assumed.networks) as Network[];
  const busiest = attemptsASecond * Math.max(...Object.values(assumed.networks));
  const places = Math.min(MAX_AT_ONCE, (busiest * assumed.attemptSeconds) / USABLE_PLACES);
  const withPlaces = Math.ceil(places / CHANNELS_AT_ONCE);
  return {
    variantsADay,
    shareAtOnce,
    attemptsASecond,
    atOnce: Math.max(atOnceByDefault(assumed), withPlaces * CHANNELS_AT_ONCE),
    pods: {
      ingress: podsFor(WORK.ingress),
      workspace: podsFor(WORK.workspace),
      publisher: atLeast(podsFor(WORK.publishers / networks.length), withPlaces),
    },
    crierCores: cores(costs.cpuMs.crier),
    cassandra: { nodes, bytesANode: kept / nodes / usableDisk },
    kafka: { brokers, bytesABroker: inLog / brokers / usableDisk },
  };
}

const atLeast = (least: number, ...wanted: readonly number[]): number => Math.max(least, ...wanted.map(Math.ceil));

/** What is due at the instant shall begin within a minute, and what is due meanwhile with it; no Network takes more. */
function peakRate(variantsADay: number, shareAtOnce: number, assumed: Assumptions): number {
  const evenly = (variantsADay * (1 - shareAtOnce)) / (assumed.busyHours * 3_600);
  const wanted = (variantsADay * shareAtOnce) / WHOLE_SECONDS + evenly;
  const most = Object.values(assumed.networks).map((share) => MAX_AT_ONCE / assumed.attemptSeconds / share);
  return Math.min(wanted, ...most);
}

/** Of the Networks that are planned with, the attempts that one of them has at once unless an operator changes it. */
const atOnceByDefault = ({ networks }: Assumptions): number =>
  Math.max(...(Object.keys(networks) as Network[]).map((network) => networkDefinitions[network].budget.atOnce));

/** The plan's peak, as the simulation takes it: with what its pods and nodes can do, not with what was wanted. */
export function peakOf(plan: Plan, costs: UnitCosts, assumed: Assumptions): Peak {
  const { variantsADay, shareAtOnce, atOnce, pods, cassandra } = plan;
  const networks = Object.entries(assumed.networks) as [Network, number][];
  const byCassandra = (cassandra.nodes * assumed.coresANode) / ((costs.cpuMs.cassandra * assumed.copies) / 1_000);
  const byCrier = (pods.workspace + networks.length * pods.publisher) / (costs.cpuMs.crier / 1_000);
  const places = Math.min(atOnce, pods.publisher * CHANNELS_AT_ONCE);
  return {
    variantsADay,
    shareAtOnce,
    busyHours: assumed.busyHours,
    attemptSeconds: assumed.attemptSeconds,
    handOversASecond: Math.min(costs.handOversASecond, byCassandra, byCrier),
    networks: Object.fromEntries(networks.map(([network, share]) => [network, { share, places }])),
  };
}
