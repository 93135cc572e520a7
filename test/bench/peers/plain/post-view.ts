import type { Pool } from '../engines/postgres-pool.ts';

export interface PostRow {
  readonly id: string;
  readonly text: string;
  readonly key_name: string;
  readonly created_at: Date;
  readonly scheduled_at: Date | null;
}

export interface VariantRow {
  readonly id: string;
  readonly post_id: string;
  readonly channel_id: string;
  readonly channel_name: string;
  readonly network: string;
  readonly connected: boolean;
  readonly status: string;
  readonly permalink: string | null;
  readonly failure: string | null;
}

export const POST_COLUMNS = 'id, text, key_name, created_at, scheduled_at';

/** The Variants of several Posts, by Post. */
export async function variantsOf(pool: Pool, postIds: readonly string[]): Promise<ReadonlyMap<string, VariantRow[]>> {
  const text = `
    SELECT v.id, v.post_id, v.channel_id, c.name AS channel_name, c.network, c.connected, v.status, v.permalink, v.failure
    FROM variants v JOIN channels c ON c.id = v.channel_id
    WHERE v.post_id = ANY($1::uuid[]) ORDER BY v.id`;
  const { rows } = await pool.query<VariantRow>({ name: 'variants-of', text, values: [postIds] });
  return Map.groupBy(rows, ({ post_id }) => post_id);
}

/** A Post as clients see it, with as many fields as Crier gives. */
export function postView(post: PostRow, variants: readonly VariantRow[]): object {
  return {
    id: post.id,
    text: post.text,
    createdAt: post.created_at.toISOString(),
    at: (post.scheduled_at ?? post.created_at).toISOString(),
    via: { kind: 'key', name: post.key_name },
    media: [],
    variants: variants.map((variant) => variantView(post, variant)),
  };
}

export function variantView(post: PostRow, variant: VariantRow): object {
  return {
    id: variant.id,
    channelId: variant.channel_id,
    channelName: variant.channel_name,
    network: variant.network,
    placement: 'feed',
    status: variant.status,
    scheduledAt: post.scheduled_at?.toISOString() ?? null,
    failureReason: variant.failure === null ? null : 'platform_problem',
    failureDetail: variant.failure,
    permalink: variant.permalink,
    mediaReady: true,
    channelDisconnected: !variant.connected,
    metrics: null,
  };
}
