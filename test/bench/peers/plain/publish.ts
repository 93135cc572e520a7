import type { Pool as HttpPool } from 'undici';
import type { Queue, TakenJob } from '../engines/bullmq.ts';
import type { Pool } from '../engines/postgres-pool.ts';
import type { WebhookJob } from './webhooks.ts';

export interface PublishJob {
  readonly variantId: string;
}

interface ClaimedVariant {
  readonly post_id: string;
  readonly workspace_id: string;
  readonly text: string;
  readonly account: string;
}

/** A job that is run twice claims its Variant twice, unless the first has said that it is published. */
const CLAIM = `
  UPDATE variants v SET status = 'publishing', attempts = attempts + 1
  FROM posts p, channels c
  WHERE v.id = $1 AND v.status IN ('scheduled', 'publishing') AND p.id = v.post_id AND c.id = v.channel_id
  RETURNING v.post_id, p.workspace_id, p.text, c.account`;
const PUBLISHED = `UPDATE variants SET status = 'published', permalink = $2 WHERE id = $1`;
const FAILED = `UPDATE variants SET status = 'failed', failure = $2 WHERE id = $1`;

export interface PublishPorts {
  readonly pool: Pool;
  readonly sink: HttpPool;
  readonly webhooks: Queue;
}

/** Claim, the one call, the result, the webhook: three commits and a request. */
export async function publish({ pool, sink, webhooks }: PublishPorts, { variantId }: PublishJob): Promise<void> {
  const [variant] = (await pool.query<ClaimedVariant>({ name: 'claim', text: CLAIM, values: [variantId] })).rows;
  if (variant === undefined) return;
  const { statusCode, body } = await sink.request({
    method: 'POST',
    path: '/publish',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: variant.text, account: variant.account }),
    headersTimeout: 10_000,
  });
  const { permalink } = (await body.json()) as { readonly permalink: string };
  if (statusCode !== 200) throw new Error(`the Network answered ${statusCode}`);
  await pool.query({ name: 'published', text: PUBLISHED, values: [variantId, permalink] });
  const event: WebhookJob = {
    variantId,
    postId: variant.post_id,
    workspaceId: variant.workspace_id,
    createdAt: new Date().toISOString(),
  };
  await webhooks.add('variant.published', event, { jobId: `published-${variantId}` });
}

/** The last attempt at it failed. */
export async function fail(pool: Pool, job: TakenJob<PublishJob>, error: Error): Promise<void> {
  if (job.attemptsMade >= (job.opts.attempts ?? 1))
    await pool.query({ name: 'failed', text: FAILED, values: [job.data.variantId, error.message] });
}
