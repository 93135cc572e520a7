import type { Pool } from '../engines/postgres-pool.ts';
import type { ApiKey } from './keys.ts';
import { POST_COLUMNS, postView, variantsOf, type PostRow } from './post-view.ts';
import { Refusal } from './refusal.ts';

const MOST = 500;
const DEFAULT = 100;
/** No id is behind it. */
const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const ID = /^[0-9a-f-]{36}$/;

export interface PostPage {
  readonly data: readonly object[];
  readonly nextCursor: string | null;
}

/** Newest first, a page at a time, by the order of ids. */
export async function listPosts(
  pool: Pool,
  key: ApiKey,
  query: { readonly limit?: unknown; readonly cursor?: unknown },
): Promise<PostPage> {
  const limit = Number(query.limit ?? DEFAULT);
  const before = String(query.cursor ?? NEWEST);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST || !ID.test(before))
    throw new Refusal(400, 'invalid_request', `limit is 1 to ${MOST}, cursor one that a page gave.`);
  const text = `SELECT ${POST_COLUMNS} FROM posts WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`;
  const values = [key.workspaceId, before, limit + 1];
  const { rows } = await pool.query<PostRow>({ name: 'page', text, values });
  const page = rows.slice(0, limit);
  const variants = await variantsOf(
    pool,
    page.map(({ id }) => id),
  );
  return {
    data: page.map((post) => postView(post, variants.get(post.id) ?? [])),
    nextCursor: rows.length > limit ? page.at(-1)!.id : null,
  };
}

export async function readPost(pool: Pool, key: ApiKey, id: string): Promise<object> {
  const text = `SELECT ${POST_COLUMNS} FROM posts WHERE workspace_id = $1 AND id = $2`;
  const values = [key.workspaceId, id];
  const [post] = ID.test(id) ? (await pool.query<PostRow>({ name: 'post', text, values })).rows : [];
  if (post === undefined) throw new Refusal(404, 'not_found', 'There is no such Post.');
  return postView(post, (await variantsOf(pool, [id])).get(id) ?? []);
}
