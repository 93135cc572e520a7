import { createHmac } from 'node:crypto';
import { request, type Agent } from 'undici';
import type { Pool } from '../engines/postgres-pool.ts';
import { POST_COLUMNS, postView, variantsOf, variantView, type PostRow } from './post-view.ts';

export interface WebhookJob {
  readonly variantId: string;
  readonly postId: string;
  readonly workspaceId: string;
  readonly createdAt: string;
}

interface EndpointRow {
  readonly url: string;
  readonly secret: string;
}

/** Tells every endpoint of the Workspace, signed; throws when one did not take it, and all are told again. */
export async function sendWebhooks(pool: Pool, agent: Agent, job: WebhookJob): Promise<void> {
  const { variantId, postId, workspaceId, createdAt } = job;
  const endpoints = { name: 'endpoints', text: 'SELECT url, secret FROM endpoints WHERE workspace_id = $1' };
  const posts = { name: 'told-post', text: `SELECT ${POST_COLUMNS} FROM posts WHERE id = $1` };
  const [listening, found, variants] = await Promise.all([
    pool.query<EndpointRow>({ ...endpoints, values: [workspaceId] }),
    pool.query<PostRow>({ ...posts, values: [postId] }),
    variantsOf(pool, [postId]),
  ]);
  const [post, own] = [found.rows[0]!, variants.get(postId) ?? []];
  const variant = variantView(
    post,
    own.find(({ id }) => id === variantId)!,
  );
  const data = { variant, post: postView(post, own) };
  const body = JSON.stringify({ id: `published-${variantId}`, type: 'variant.published', createdAt, data });
  for (const { url, secret } of listening.rows) {
    const at = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
    const headers = { 'content-type': 'application/json', 'webhook-signature': `t=${at},v1=${signature}` };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, headersTimeout: 10_000 });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`the endpoint answered ${answer.statusCode}`);
  }
}
