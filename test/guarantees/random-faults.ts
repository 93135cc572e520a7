import type { CrierCluster, Tenant } from '#testing/crier-cluster.ts';
import type { CassandraEngine, KafkaEngine } from '#testing/engines.ts';
import type { TrafficRequest, Traffic } from './traffic.ts';

export interface Chaos {
  readonly cluster: CrierCluster;
  readonly kafka: KafkaEngine;
  readonly cassandra: CassandraEngine;
  readonly traffic: Traffic;
  readonly tenants: readonly Tenant[];
}

const HOUR_MS = 3_600_000;
/** Shorter and longer than the group session. */
const MAX_DOWN_MS = 20_000;
const MAX_CALM_MS = 8_000;
const CLIENTS = 6;
/** The pause between two requests of one client: this tests faults and not load. */
const PAUSE_MS = 300;

/**
 * Kills or stops one process after the other, for a while, with requests and timers always in flight: any of our
 * processes, Kafka or Cassandra; the seed alone chooses. Everything runs again when it resolves. Returns the faults,
 * one line each.
 */
export async function randomFaults(
  { cluster, kafka, cassandra, traffic, tenants }: Chaos,
  seed: number,
  forMs: number,
): Promise<readonly string[]> {
  const random = mulberry32(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const done: string[] = [];
  const engines = { kafka, cassandra };
  const fault = async (): Promise<void> => {
    const downMs = below(MAX_DOWN_MS);
    const kills = random() < 0.5;
    const target =
      below(10) === 0 ? (['kafka', 'cassandra'] as const)[below(2)]! : cluster.all[below(cluster.all.length)]!;
    done.push(
      `${kills ? 'killed' : 'stopped'} ${typeof target === 'string' ? target : target.name} for ${downMs} ms, ${traffic.unanswered} requests out`,
    );
    if (typeof target === 'string') {
      const engine = engines[target];
      await engine.kill(kills ? 'SIGKILL' : 'SIGSTOP');
      await pause(downMs);
      await (kills ? engine.restart() : engine.kill('SIGCONT'));
    } else if (kills) {
      await target.kill();
      await pause(downMs);
      await target.start(120_000);
    } else {
      target.signal('SIGSTOP');
      await pause(downMs);
      target.signal('SIGCONT');
    }
  };
  const order = (count: number): TrafficRequest => ({
    ingress: count % 2,
    ...(count % 4 === 0 ? {} : { dueInMs: count % 4 === 1 ? HOUR_MS : 1_000 + (count % 30) * 1_000 }),
  });
  await using _ = traffic.load(tenants, CLIENTS, order, PAUSE_MS);
  const from = performance.now();
  while (performance.now() - from < forMs) {
    await pause(below(MAX_CALM_MS));
    await fault();
  }
  return done;
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Uniform in [0, 1), the same sequence of numbers for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
