import { Agent, Pool as HttpPool } from 'undici';
import { endBySignal, given, serveJson } from '../child-program.ts';
import { openQueue, openQueueWorker } from '../engines/bullmq.ts';
import { JOBS_AT_ONCE } from '../schedulers/scheduler.ts';
import { openStores, PUBLISH_QUEUE, SINK, WEBHOOK_QUEUE } from './environment.ts';
import { fail, publish, type PublishJob } from './publish.ts';
import { sweep } from './sweep.ts';
import { sendWebhooks, type WebhookJob } from './webhooks.ts';

// The plain service's worker: publishes what is due, tells endpoints of it, and sweeps up after crashes.

const SWEEP_EVERY_MS = 30_000;

const stores = await openStores();
const { pool, redisPort } = stores;
const webhooks = await openQueue(WEBHOOK_QUEUE, redisPort);
const sink = new HttpPool(given(SINK), { connections: JOBS_AT_ONCE, pipelining: 1 });
const agent = new Agent({ connections: JOBS_AT_ONCE, pipelining: 1 });

const publisher = await openQueueWorker<PublishJob>(PUBLISH_QUEUE, redisPort, JOBS_AT_ONCE, ({ data }) =>
  publish({ pool, sink, webhooks }, data),
);
publisher.on('failed', (job, error) => {
  if (job !== undefined) void fail(pool, job, error).catch(console.error);
});
const teller = await openQueueWorker<WebhookJob>(WEBHOOK_QUEUE, redisPort, JOBS_AT_ONCE, ({ data }) =>
  sendWebhooks(pool, agent, data),
);
const sweeping = setInterval(() => void sweep(stores).catch(console.error), SWEEP_EVERY_MS);

serveJson({});
endBySignal(async () => {
  clearInterval(sweeping);
  await Promise.all([publisher.close(), teller.close()]);
  await Promise.all([stores.publishing.close(), webhooks.close(), pool.end(), sink.close(), agent.close()]);
});
