import type { Upkeep } from '../channel/upkeep.ts';
import type { Asset } from '../media/asset.ts';
import type { Network, Placement } from '../network.ts';
import type { Post } from '../post/post.ts';
import type { MetricsReading } from '../variant/metrics.ts';
import type { AuditEntry } from './audit.ts';
import type { ContinueSweep, FilesDue, ReplayDelivery, SendTestEvent, VariantsDue } from './commands.ts';
import type { ApiKey, Approval, Member } from './state.ts';

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
  /** The end of the missed window: the attempt is not armed after it. */
  readonly latestStart: number;
  /** An earlier attempt's outcome is unknown: ask the Network before publishing. */
  readonly reconcileFirst: boolean;
}

/** Work for a publisher: the first comment under a Variant that is live. Its text is read from the Post. */
export interface CommentJob extends Pick<
  PublishJob,
  'workspaceId' | 'variantId' | 'network' | 'channelId' | 'accountId' | 'dueAt' | 'latestStart'
> {
  /** What it goes under, as the Network calls it. */
  readonly itemId: string;
}

/**
 * What a turn causes beside its new state, as data: services/workspace/compile-effects.ts turns each effect into rows,
 * timers and messages. Each may be carried out twice.
 */
export type Effect =
  /** A Post was created: its rows, and its entries in every index. */
  | { readonly kind: 'post-created'; readonly post: Post }
  /** These Variants of the Post changed, by the last bytes of their ids. */
  | { readonly kind: 'variants-changed'; readonly post: Post; readonly variants: readonly number[] }
  | { readonly kind: 'asset-changed'; readonly asset: Asset }
  /** The Post changed in something else than its Variants. */
  | { readonly kind: 'content-changed'; readonly post: Post }
  /** The Post is removed: its rows, and its entries in every index. */
  | { readonly kind: 'post-removed'; readonly post: Post }
  /** No Posts were written on these days, or are due in these weeks, any more. */
  | { readonly kind: 'days-emptied'; readonly days: readonly number[]; readonly weeks: readonly number[] }
  /** The media service makes the Post's files ready for its Variants. */
  | { readonly kind: 'prepare-media'; readonly postId: string }
  /** Append UploadExpired to the Workspace at `at`. */
  | { readonly kind: 'asset-timer'; readonly assetId: string; readonly expiresAt: number; readonly at: number }
  /** Append FilesDue to the Workspace at `at`. */
  | ({ readonly kind: 'files-timer'; readonly at: number } & Omit<FilesDue, 'type' | 'workspaceId'>)
  /** The asset was removed: its stored files are deleted after this turn, with as many tries as that takes. */
  | { readonly kind: 'remove-files'; readonly assetId: string }
  /** The Variants entered `publishing`; a watchdog is set with it. */
  | { readonly kind: 'publish'; readonly job: PublishJob }
  /** The Variant is live and has a first comment; a watchdog is set with it. */
  | { readonly kind: 'comment'; readonly job: CommentJob }
  /** Append VariantsDue to the Workspace at `post.scheduledAt`. */
  | {
      readonly kind: 'due-timer';
      readonly timerId: string;
      readonly at: number;
      readonly due: VariantsDue['posts'][number];
    }
  /** The Connection of a Channel is renewed at `upkeep.dueAt`. */
  | { readonly kind: 'upkeep-timer'; readonly upkeep: Upkeep }
  /** The tokens of a Channel that was disconnected are ended at its Network, and then removed. */
  | {
      readonly kind: 'end-connection';
      readonly channelId: string;
      readonly network: Network;
      readonly connectionId: string | null;
    }
  /** The picture that a Network shows of the Channel's account, at `url`, is copied. */
  | {
      readonly kind: 'copy-picture';
      readonly channelId: string;
      readonly connectedAt: number;
      readonly askedAt: number;
      readonly url: string;
    }
  /** A copy of a picture that no Channel names any more is deleted. */
  | { readonly kind: 'remove-picture'; readonly channelId: string; readonly blob: string }
  /** The figures of a Variant are read at `reading.dueAt`. */
  | { readonly kind: 'metrics-timer'; readonly reading: MetricsReading }
  | { readonly kind: 'plan-timer'; readonly timerId: string; readonly at: number }
  /** A command of the Workspace to itself, after this turn. */
  | { readonly kind: 'command'; readonly command: VariantsDue | ContinueSweep }
  /** A Variant was published or failed, which becomes an event. `post`: after the turn; `at`: the turn's instant. */
  | { readonly kind: 'outcome'; readonly post: Post; readonly variant: number; readonly at: number }
  /** A key changed: its row in `credentials` follows the state. */
  | { readonly kind: 'credential'; readonly key: ApiKey; readonly memberName: string; readonly memberRemoved: boolean }
  /** An approval changed: its row in `approvals` follows the state. */
  | { readonly kind: 'approval'; readonly approval: Approval; readonly member: Member }
  /** Members changed: the rows in `memberships` by which their accounts find the Workspace follow the state. */
  | { readonly kind: 'memberships'; readonly memberIds: readonly string[] }
  /** Channels changed: the row by which they are read. */
  | { readonly kind: 'channels-changed' }
  /** Endpoints changed: the row by which events are delivered. */
  | { readonly kind: 'endpoints-changed' }
  /** What the command did, for people to look up. */
  | { readonly kind: 'audit'; readonly entry: AuditEntry }
  /** For the webhooks service, under the ids that the command names, so that a repeat delivers nothing twice. */
  | { readonly kind: 'deliver'; readonly command: SendTestEvent | ReplayDelivery }
  /** Kept for `Rules.idempotencyKeyMs` from `createdAt`. */
  | {
      readonly kind: 'idempotency-key';
      readonly key: string;
      readonly postId: string;
      readonly digest: string;
      readonly createdAt: number;
    };
