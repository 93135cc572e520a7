import assert from 'node:assert/strict';
import type { OutcomeType } from '../webhook/outcome-type.ts';
import { derivedId } from '../derived-id.ts';
import type { Post, Variant } from '../post/post.ts';
import {
  isoOf,
  renderPost,
  renderVariant,
  type Channels,
  type MediaUrl,
  type PostBody,
  type VariantBody,
} from '../post/render.ts';

/** The body of a webhook delivery. */
export interface OutcomeBody {
  readonly id: string;
  readonly type: OutcomeType;
  readonly createdAt: string;
  readonly data: { readonly variant: VariantBody; readonly post: PostBody };
}

/** Depends on Variant, attempt and type alone, so that a repeat is the same event. */
export function outcomeIdOf(variant: Pick<Variant, 'id' | 'attempt'>, type: OutcomeType): string {
  return derivedId(`${variant.id}/${variant.attempt}/${type}`);
}

/** For an `outcome` effect: `variant` is the last byte of the Variant's id, `at` the turn's time. */
export function outcomeOf(
  { post, variant, at }: { readonly post: Post; readonly variant: number; readonly at: number },
  { channels, mediaUrl }: { readonly channels: Channels; readonly mediaUrl: MediaUrl },
): OutcomeBody {
  const about = post.variants[variant - 1];
  assert(
    about && (about.status === 'published' || about.status === 'failed'),
    `variant ${variant} of post ${post.id} has no outcome`,
  );
  const type = about.status === 'published' ? 'variant.published' : 'variant.failed';
  return {
    id: outcomeIdOf(about, type),
    type,
    createdAt: isoOf(at),
    data: { variant: renderVariant(about, post, channels), post: renderPost(post, channels, mediaUrl) },
  };
}
