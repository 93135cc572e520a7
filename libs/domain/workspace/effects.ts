import type { Upkeep } from '../channel/upkeep.ts';
import type { Asset } from '../media/asset.ts';
import type { Network, Placement } from '../network.ts';
import type { Post } from '../post/post.ts';
import type { MetricsReading } from '../variant/metrics.ts';
import type { ContinueSweep, FilesDue, ReplayDelivery, SendTestEvent, VariantsDue } from './commands.ts';
import type { ApiKey } from './state.ts';

/** Work for a publisher: one attempt at one Variant. The text is read from the Post. */
export interface PublishJob {
  readonly workspaceId: string;
  readonly variantId: string;
  readonly attempt: number;
  readonly network: Network;
  readonly placement: Placement;
  readonly channelId: string;
  readonly accountId: string;
  /** When it was due; lateness is measured from here. */
  readonly dueAt: number;
  /** Not to be armed after this: the missed window's end. */
  readonly latestStart: number;
  /** An earlier attempt's outcome is unknown: ask the Network before publishing. */
  readonly reconcileFirst: boolean;
}

/**
 * What a turn causes beside its new state. Data only: services/workspace/effects turns each into table rows and
 * messages. Everything here may be carried out twice.
 */
export type Effect =
  /** A Post came to be: its rows and every index on it. */
  | { readonly kind: 'post-created'; readonly post: Post }
  /** These Variants of it changed (numbers = last bytes of their ids). */
  | { readonly kind: 'variants-changed'; readonly post: Post; readonly variants: readonly number[] }
  | { readonly kind: 'asset-changed'; readonly asset: Asset }
  /** Something of the Post beside its Variants changed. */
  | { readonly kind: 'content-changed'; readonly post: Post }
  /** Have the Post's files made ready for its Variants. */
  | { readonly kind: 'prepare-media'; readonly postId: string }
  /** Append UploadExpired to the Workspace at `at`. */
  | { readonly kind: 'asset-timer'; readonly assetId: string; readonly expiresAt: number; readonly at: number }
  /** Append FilesDue to the Workspace at `at`. */
  | ({ readonly kind: 'files-timer'; readonly at: number } & Omit<FilesDue, 'type' | 'workspaceId'>)
  /** The asset was removed: whatever is stored of it is deleted, after this turn and however long that takes. */
  | { readonly kind: 'remove-files'; readonly assetId: string }
  /** The Variants entered `publishing`; a watchdog is set with it. */
  | { readonly kind: 'publish'; readonly job: PublishJob }
  /** Append VariantsDue to the Workspace at `post.scheduledAt`. */
  | {
      readonly kind: 'due-timer';
      readonly timerId: string;
      readonly at: number;
      readonly due: VariantsDue['posts'][number];
    }
  /** Have the Connection of a Channel looked after at `upkeep.dueAt`. */
  | { readonly kind: 'upkeep-timer'; readonly upkeep: Upkeep }
  /** Have the figures of a Variant read at `reading.dueAt`. */
  | { readonly kind: 'metrics-timer'; readonly reading: MetricsReading }
  | { readonly kind: 'plan-timer'; readonly timerId: string; readonly at: number }
  /** A command of the Workspace to itself, after this turn. */
  | { readonly kind: 'command'; readonly command: VariantsDue | ContinueSweep }
  /** A Variant is live, or failed: webhooks hear of it. `post` as it is after the turn, `at` the turn's time. */
  | { readonly kind: 'outcome'; readonly post: Post; readonly variant: number; readonly at: number }
  /** The key's row in `credentials` must say what the state says. */
  | { readonly kind: 'credential'; readonly key: ApiKey; readonly memberName: string; readonly memberRemoved: boolean }
  /** Channels changed: the row readers see them in. */
  | { readonly kind: 'channels-changed' }
  /** Endpoints changed: the row that deliveries are made by. */
  | { readonly kind: 'endpoints-changed' }
  /** To who delivers to the endpoint: under the ids that the command names, however often. */
  | { readonly kind: 'deliver'; readonly command: SendTestEvent | ReplayDelivery }
  /** Kept for `Rules.idempotencyKeyMs` from `createdAt`. */
  | {
      readonly kind: 'idempotency-key';
      readonly key: string;
      readonly postId: string;
      readonly digest: string;
      readonly createdAt: number;
    };
