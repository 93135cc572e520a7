import type { Channel } from '../channel/channel.ts';
import type { AcceptedType } from '../media/file-facts.ts';
import type { Post, Variant } from '../post/post.ts';

/** Codes with which a Workspace refuses; the REST status of each is in schemas/http/errors.ts. */
export type RefusalCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'email_not_verified'
  | 'not_found'
  | 'channel_disconnected'
  | 'media_unavailable'
  | 'upload_incomplete'
  | 'media_unacceptable'
  | 'not_cancellable'
  | 'not_retryable'
  | 'too_large'
  | 'post_refused'
  | 'too_early'
  | 'too_late'
  | 'plan_limit'
  | 'limit_reached'
  | 'idempotency_key_reused'
  | 'key_taken'
  | 'outcome_unknown';

export interface Blocker {
  readonly channelId?: string;
  /** `incomplete`: something is missing; `problem`: something is wrong. */
  readonly code: 'incomplete' | 'problem';
  /** For a person. */
  readonly message: string;
  /** Where it is put right in the body that was sent, such as `media.0.altText`. Absent: in no one place. */
  readonly path?: string;
}

export interface Upgrade {
  readonly plan: string;
  readonly limit: string;
  readonly label: string;
}

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly message: string;
  readonly blockers?: readonly Blocker[];
  readonly upgrade?: Upgrade;
}

/** A completed upload, as it is answered. */
export interface CompletedFile {
  readonly assetId: string;
  readonly kind: 'image' | 'video';
  readonly contentType: AcceptedType;
  readonly bytes: number;
}

/** What a command came to. It is stored by request id, and therefore names Posts and assets by id. */
export type Result =
  | { readonly ok: true; readonly kind: 'post'; readonly postId: string; readonly replayed: boolean }
  | { readonly ok: true; readonly kind: 'variant'; readonly variantId: string }
  | {
      readonly ok: true;
      readonly kind: 'verdict';
      readonly blockers: readonly Blocker[];
      readonly upgrade: Upgrade | null;
    }
  | { readonly ok: true; readonly kind: 'reserved'; readonly assetId: string; readonly expiresAt: number }
  | { readonly ok: true; readonly kind: 'completed'; readonly file: CompletedFile }
  | { readonly ok: true; readonly kind: 'done' }
  | Refusal;

/** What goes back to the caller at once: the result and, to save reads, its Post with the Channels of its Variants. */
export interface CommandAnswer {
  readonly requestId: string;
  readonly result: Result;
  readonly post?: Post;
  /** With `post`: by id, as they are after the command. */
  readonly channels?: Readonly<Record<string, Channel>>;
}

export type { Post, Variant };
