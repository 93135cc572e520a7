import { DUPLICATE_SECONDS } from './create-post.ts';
import { publishJob, type PlainStores } from './environment.ts';

const OVERDUE_SECONDS = 30;
const MOST = 1_000;

interface OverdueRow {
  readonly id: string;
  readonly due_at: Date;
}

/**
 * Queues what is long due and was never begun: the API died between its commit and the queue. Where the job is queued
 * all the same, its id makes this a no-op. Forgets digests whose time is over.
 */
export async function sweep({ pool, publishing }: PlainStores): Promise<void> {
  const text = `
    SELECT id, due_at FROM variants
    WHERE status = 'scheduled' AND due_at < now() - make_interval(secs => $1) ORDER BY due_at LIMIT $2`;
  const { rows } = await pool.query<OverdueRow>({ text, values: [OVERDUE_SECONDS, MOST] });
  const now = Date.now();
  if (rows.length > 0) await publishing.addBulk(rows.map(({ id, due_at }) => publishJob(id, due_at.getTime(), now)));
  await pool.query({
    text: 'DELETE FROM recent_posts WHERE created_at < now() - make_interval(secs => $1)',
    values: [DUPLICATE_SECONDS],
  });
}
