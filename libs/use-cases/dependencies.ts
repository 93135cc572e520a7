import type { Channel } from '#domain/channel/channel.ts';
import type { Asset } from '#domain/media/asset.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Post } from '#domain/post/post.ts';
import type { InspectedAddress } from '#domain/post/media-reference.ts';
import type { VariantMetrics } from '#domain/variant/metrics.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { DisabledSince } from '#domain/webhook/render.ts';
import type { Endpoint, Endpoints } from '#domain/webhook/endpoint.ts';
import type { PostListFilter, PostPage } from '#tables/repositories/post-list.ts';
import type { UploadedFile } from '#tables/repositories/uploads.ts';
import type { StoredDelivery } from '#tables/repositories/deliveries.ts';

/** What the use cases use of other rooms. Each rejects with `PortError` when it can not do its work. */

/**
 * Sends a command to its Workspace and waits for its result. Commands for one Workspace are appended in the order
 * of the calls. Answers `outcome_unknown` past its deadline; rejects `unavailable` when nothing was appended.
 */
export type RequestCommand = (command: RequestedCommand) => Promise<CommandAnswer>;

export interface PostReader {
  /** Null when the Workspace has no such Post. */
  read(workspaceId: string, postId: string): Promise<Post | null>;
  /** Newest written first. */
  list(workspaceId: string, filter: PostListFilter): Promise<PostPage>;
}

export interface WorkspaceReader {
  /** Every Channel, the disconnected ones too, by id. */
  channels(workspaceId: string): Promise<Readonly<Record<string, Channel>>>;
  /** The state after the last turn. */
  state(workspaceId: string): Promise<WorkspaceState | null>;
}

/** The figures of a Post's Variants, by Variant. */
export type MetricsOfPost = (postId: string) => Promise<ReadonlyMap<string, VariantMetrics>>;

export interface AttemptStep {
  readonly attempt: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly step: string;
  readonly outcome: string;
  readonly detail: string | null;
  readonly remoteId: string | null;
}

export interface AttemptReader {
  /** Steps in order of attempt and time, the newest when there are more. */
  attempts(variantId: string, newest: number): Promise<readonly AttemptStep[]>;
}

export interface WebhookReader {
  /** The endpoints of the Workspace, in order of registration. */
  endpoints(workspaceId: string): Promise<Endpoints>;
  /** Null: attempts at the endpoint go on. */
  disabledSince(endpointId: string): Promise<DisabledSince | null>;
  /** The newest deliveries, newest first, each read when it is asked for. */
  latest(endpoint: Endpoint, limit: number): AsyncIterable<StoredDelivery>;
  /** Null: there is no such delivery, or its rows have expired. */
  find(deliveryId: string): Promise<StoredDelivery | null>;
}

/** Null when the Workspace has no such asset. */
export type AssetReader = (workspaceId: string, assetId: string) => Promise<Asset | null>;

/**
 * `facts`: of `blob`, the file that counts, which may be another than was judged. `refused`: the file is of no type
 * that Crier takes; `detail` says so to a person.
 */
export type FileJudgement =
  | { readonly kind: 'facts'; readonly facts: FileFacts; readonly blob: string }
  | { readonly kind: 'refused'; readonly detail: string };

/** What a stored file of the Workspace is by its bytes, whatever type the client named. */
export type JudgeFile = (workspaceId: string, file: UploadedFile) => Promise<FileJudgement>;

/** Why this installation takes no videos, for a person; null: it takes them. Never rejects. */
export type VideosUnavailable = () => Promise<string | null>;

/**
 * The type and size of the file at an address that a Member named, or why it can not be used. Never rejects for an
 * answer of the address. When `signal` is aborted it ends early, with any result.
 */
export type InspectAddress = (url: string, signal: AbortSignal) => Promise<Omit<InspectedAddress, 'assetId'>>;
