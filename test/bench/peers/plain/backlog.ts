import { openQueue } from '../engines/bullmq.ts';
import type { Pool } from '../engines/postgres-pool.ts';
import { PUBLISH_QUEUE, publishJob } from './environment.ts';
import { createIds } from './ids.ts';

const POSTS_A_STATEMENT = 2_000;
const DAY_MS = 86_400_000;
const SENTENCE = 'It is waiting for its time to come. ';

export interface PlainBacklog {
  readonly workspaceId: string;
  readonly channelIds: readonly string[];
  readonly posts: number;
}

/** The rows and jobs that so many Posts of one Variant leave, due from tomorrow over a month. */
export async function fillPlain(pool: Pool, redisPort: number, backlog: PlainBacklog): Promise<void> {
  const { workspaceId, channelIds, posts } = backlog;
  const queue = await openQueue(PUBLISH_QUEUE, redisPort);
  for (let from = 0; from < posts; from += POSTS_A_STATEMENT) {
    const now = Date.now();
    const count = Math.min(POSTS_A_STATEMENT, posts - from);
    const [postIds, variantIds] = [createIds(now, count).sort(), createIds(now, count)];
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    const dueAt = numbers.map((number) => now + DAY_MS + ((number * 7_919_003) % (30 * DAY_MS)));
    const texts = numbers.map((number) => `Outstanding ${number}. ${SENTENCE.repeat(6)}`);
    const due = dueAt.map((at) => new Date(at));
    await pool.query({
      text: `INSERT INTO posts (id, workspace_id, text, key_name, created_at, scheduled_at)
        SELECT id, $1, text, 'Key 1', $2, due FROM unnest($3::uuid[], $4::text[], $5::timestamptz[]) AS one (id, text, due)`,
      values: [workspaceId, new Date(now), postIds, texts, due],
    });
    await pool.query({
      text: `INSERT INTO variants (id, post_id, channel_id, status, due_at)
        SELECT id, post, channel, 'scheduled', due
        FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS one (id, post, channel, due)`,
      values: [variantIds, postIds, numbers.map((number) => channelIds[number % channelIds.length]), due],
    });
    await queue.addBulk(variantIds.map((id, index) => publishJob(id, dueAt[index]!, now)));
  }
  await queue.close();
  // What PostgreSQL would have done by itself by the time so many Posts are there.
  await pool.query({ text: 'VACUUM ANALYZE' });
}
