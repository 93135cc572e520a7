import { variantNumberOf } from '#domain/post/ids.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import type { Aftermath, VariantOf } from '../aftermath.ts';
import { PARTITIONS } from '../world.ts';

/** When it was first reported that a Variant's files are ready; 0: it has none. */
export function preparedAt(after: Aftermath): (each: VariantOf) => number {
  const reported = new Map<string, number>();
  const { world } = after;
  const partitions = world.parts.includes('media') ? PARTITIONS : 0;
  for (let partition = 0; partition < partitions; partition++) {
    for (const { value, timestamp } of world.log.control.records({ topic: WORKSPACE_COMMANDS.name, partition })) {
      const decoded = world.codec.decodeNow(value);
      if (!decoded?.ok || decoded.message.type !== 'MediaPrepared') continue;
      const { postId, variants } = decoded.message;
      for (const number of variants) {
        const name = `${postId} ${number}`;
        reported.set(name, Math.min(reported.get(name) ?? Number.POSITIVE_INFINITY, timestamp));
      }
    }
  }
  return ({ post, variant }) =>
    post.media.length === 0
      ? 0
      : (reported.get(`${post.id} ${variantNumberOf(variant.id)}`) ?? Number.POSITIVE_INFINITY);
}
