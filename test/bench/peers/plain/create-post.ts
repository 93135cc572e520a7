import { createHash } from 'node:crypto';
import { createIds } from './ids.ts';
import type { ApiKey } from './keys.ts';
import { publishJob, type PlainStores } from './environment.ts';
import { POST_COLUMNS, postView, variantsOf, type PostRow, type VariantRow } from './post-view.ts';
import { Refusal } from './refusal.ts';

/** The same Post again within this time is the one that is there. */
export const DUPLICATE_SECONDS = 600;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FIELDS = new Set(['text', 'channelIds', 'scheduledAt']);

interface NewPost {
  readonly text: string;
  readonly channelIds: readonly string[];
  readonly dueAt: number | null;
}

function parse(body: unknown, now: number): NewPost {
  const wrong = (what: string): never => {
    throw new Refusal(400, 'invalid_request', what);
  };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return wrong('Send an object.');
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) return wrong(`There is no field ${unknown}.`);
  const { text, channelIds, scheduledAt } = body as Readonly<Record<string, unknown>>;
  if (typeof text !== 'string' || text === '') return wrong('text has to be words.');
  if (!Array.isArray(channelIds) || channelIds.length === 0) return wrong('channelIds has to name Channels.');
  if (!channelIds.every((id) => typeof id === 'string' && UUID.test(id))) return wrong('channelIds has to hold ids.');
  if (new Set(channelIds).size < channelIds.length) return wrong('channelIds names a Channel twice.');
  if (scheduledAt === undefined) return { text, channelIds, dueAt: null };
  const dueAt =
    typeof scheduledAt === 'string' && /(Z|[+-]\d\d:\d\d)$/.test(scheduledAt) ? Date.parse(scheduledAt) : NaN;
  if (Number.isNaN(dueAt)) return wrong('scheduledAt has to be an instant with its zone.');
  if (dueAt < now) throw new Refusal(422, 'too_early', 'scheduledAt has passed.');
  return { text, channelIds, dueAt };
}

/**
 * One statement, so one commit: the digest, the Post and its Variants are there or none of them is. Of two equal
 * requests at once, the unique index lets one in; the other inserts nothing.
 */
const INSERT = `
  WITH fresh AS (
    INSERT INTO recent_posts AS known (workspace_id, digest, post_id, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (workspace_id, digest) DO UPDATE SET post_id = $3, created_at = $4
      WHERE known.created_at < $4::timestamptz - make_interval(secs => $5)
    RETURNING post_id
  ), post AS (
    INSERT INTO posts (id, workspace_id, text, key_name, created_at, scheduled_at)
    SELECT post_id, $1, $6, $7, $4, $8 FROM fresh RETURNING id
  )
  INSERT INTO variants (id, post_id, channel_id, status, due_at)
  SELECT one.id, post.id, one.channel_id, $9, coalesce($8, $4)
  FROM post, unnest($10::uuid[], $11::uuid[]) AS one (id, channel_id)`;

interface ChannelRow {
  readonly id: string;
  readonly name: string;
  readonly network: string;
  readonly connected: boolean;
}

export interface CreatedPost {
  readonly post: object;
  /** It was there already. */
  readonly replayed: boolean;
}

export async function createPost(stores: PlainStores, key: ApiKey, body: unknown): Promise<CreatedPost> {
  const now = Date.now();
  const { text, channelIds, dueAt } = parse(body, now);
  const channels = await connectedChannels(stores, key, channelIds);
  const ids = createIds(now, 1 + channelIds.length);
  const [postId, ...variantIds] = ids as [string, ...string[]];
  const digest = createHash('sha256')
    .update(JSON.stringify([text, channelIds.toSorted(), dueAt]))
    .digest();
  const [createdAt, scheduledAt] = [new Date(now), dueAt === null ? null : new Date(dueAt)];
  const status = dueAt === null ? 'publishing' : 'scheduled';
  const { rowCount } = await stores.pool.query({
    name: 'insert-post',
    text: INSERT,
    values: [
      ...[key.workspaceId, digest, postId, createdAt, DUPLICATE_SECONDS, text, key.name, scheduledAt, status],
      ...[variantIds, channelIds],
    ],
  });
  if (rowCount === 0) return { post: await sameAsBefore(stores, key, digest), replayed: true };
  // Of a crash before this, the sweep of the worker takes care.
  await stores.publishing.addBulk(variantIds.map((id) => publishJob(id, dueAt ?? now, now)));
  const post: PostRow = { id: postId, text, key_name: key.name, created_at: createdAt, scheduled_at: scheduledAt };
  const variants = channelIds.map((channelId, index): VariantRow => {
    const { name, network, connected } = channels.get(channelId)!;
    const about = { channel_id: channelId, channel_name: name, network, connected };
    return { id: variantIds[index]!, post_id: postId, ...about, status, permalink: null, failure: null };
  });
  return { post: postView(post, variants), replayed: false };
}

async function connectedChannels(
  { pool }: PlainStores,
  key: ApiKey,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, ChannelRow>> {
  const text = 'SELECT id, name, network, connected FROM channels WHERE workspace_id = $1 AND id = ANY($2::uuid[])';
  const { rows } = await pool.query<ChannelRow>({ name: 'channels', text, values: [key.workspaceId, channelIds] });
  const found = new Map(rows.map((row) => [row.id, row]));
  const blockers = channelIds.filter((id) => found.get(id)?.connected !== true);
  if (blockers.length > 0) throw new Refusal(422, 'post_refused', 'Some Channels take no Post.', { blockers });
  return found;
}

async function sameAsBefore({ pool }: PlainStores, key: ApiKey, digest: Buffer): Promise<object> {
  const text = `
    SELECT ${POST_COLUMNS} FROM posts
    WHERE id = (SELECT post_id FROM recent_posts WHERE workspace_id = $1 AND digest = $2)`;
  const [post] = (await pool.query<PostRow>({ name: 'same', text, values: [key.workspaceId, digest] })).rows;
  return postView(post!, (await variantsOf(pool, [post!.id])).get(post!.id) ?? []);
}
