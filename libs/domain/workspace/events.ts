import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Post, Variant } from '../post/post.ts';
import { isoOf, renderPost, renderVariant, type Channels, type MediaUrl, type PostBody, type VariantBody } from '../post/render.ts';

export type OutcomeType = 'variant.published' | 'variant.failed';

/** The body of a webhook delivery. */
export interface OutcomeBody {
  readonly id: string;
  readonly type: OutcomeType;
  readonly createdAt: string;
  readonly data: { readonly variant: VariantBody; readonly post: PostBody };
}

/** A UUID of version 8 made of Variant, attempt and type alone: whoever makes the event again makes the same one. */
export function outcomeIdOf(variant: Variant, type: OutcomeType): string {
  const hash = createHash('sha256').update(`${variant.id}/${variant.attempt}/${type}`).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** For an `outcome` effect: `variant` is the last byte of the Variant's id, `at` the turn's time. */
export function outcomeOf(post: Post, variant: number, at: number, channels: Channels, mediaUrl: MediaUrl): OutcomeBody {
  const about = post.variants[variant - 1];
  assert(about && (about.status === 'published' || about.status === 'failed'), `variant ${variant} of post ${post.id} has no outcome`);
  const type = about.status === 'published' ? 'variant.published' : 'variant.failed';
  return {
    id: outcomeIdOf(about, type),
    type,
    createdAt: isoOf(at),
    data: { variant: renderVariant(about, channels), post: renderPost(post, channels, mediaUrl) },
  };
}
