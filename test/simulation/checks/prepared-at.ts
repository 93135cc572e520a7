import { variantNumberOf } from '#domain/post/ids.ts';
import type { Aftermath, VariantOf } from '../aftermath.ts';
import { firstLogged } from './first-logged.ts';

/** When it was first reported that a Variant's files are ready; 0: it has none. */
export function preparedAt({ world, commands }: Aftermath): (each: VariantOf) => number {
  const reports = world.parts.includes('media') ? commands : [];
  const reported = firstLogged(reports, 'MediaPrepared', ({ postId, variants }) =>
    variants.map((number) => `${postId} ${number}`),
  );
  return ({ post, variant }) =>
    post.media.length === 0
      ? 0
      : (reported.get(`${post.id} ${variantNumberOf(variant.id)}`) ?? Number.POSITIVE_INFINITY);
}
