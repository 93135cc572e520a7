import { given } from '../child-program.ts';
import type { PeerName } from '../peer.ts';
import { openBullmq } from './bullmq.ts';
import { openGraphileWorker } from './graphile-worker.ts';
import { openPgBoss } from './pg-boss.ts';
import type { Scheduler } from './scheduler.ts';

export type SchedulerName = Exclude<PeerName, 'plain'>;

/** Environment variables of a scheduler's processes: where its engine is, and the sink. */
export const ENGINE_VARIABLE = 'PEER_ENGINE';
export const SINK_VARIABLE = 'PEER_SINK';

/** Opens it on the engine that the environment names. */
export function openScheduler(name: SchedulerName): Promise<Scheduler> {
  const engine = given(ENGINE_VARIABLE);
  switch (name) {
    case 'bullmq':
      return openBullmq(Number(engine));
    case 'pg-boss':
      return openPgBoss(engine);
    case 'graphile-worker':
      return openGraphileWorker(engine);
  }
}
