import { given } from '../child-program.ts';
import { openQueue, type Queue } from '../engines/bullmq.ts';
import { openPool, type Pool } from '../engines/postgres-pool.ts';

/** Environment variables of the plain service's processes: where its engines and the sink are. */
export const DATABASE = 'PLAIN_DATABASE_URL';
export const REDIS_PORT = 'PLAIN_REDIS_PORT';
export const SINK = 'PLAIN_SINK_URL';

export const PUBLISH_QUEUE = 'publish';
export const WEBHOOK_QUEUE = 'webhooks';

const CONNECTIONS = 20;

/** What both processes open. */
export interface PlainStores {
  readonly pool: Pool;
  readonly redisPort: number;
  readonly publishing: Queue;
}

export async function openStores(): Promise<PlainStores> {
  const redisPort = Number(given(REDIS_PORT));
  const [pool, publishing] = await Promise.all([
    openPool(given(DATABASE), CONNECTIONS),
    openQueue(PUBLISH_QUEUE, redisPort),
  ]);
  return { pool, redisPort, publishing };
}

/** Its id is the Variant's: while one waits, another of the same Variant is not added. */
export function publishJob(variantId: string, dueAt: number, now: number) {
  return {
    name: PUBLISH_QUEUE,
    data: { variantId },
    opts: { jobId: variantId, timestamp: now, delay: Math.max(0, dueAt - now) },
  };
}
