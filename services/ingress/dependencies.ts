import type { Channel } from '#domain/channel/channel.ts';
import type { Asset } from '#domain/media/asset.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { InspectedAddress, Post } from '#domain/post/post.ts';
import type { VariantMetrics } from '#domain/variant/metrics.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Endpoint, Endpoints } from '#domain/webhook/endpoint.ts';
import type { StoredCredential } from '#tables/repositories/credentials.ts';
import type { PostListFilter, PostPage } from '#tables/repositories/post-list.ts';
import type { UploadedFile } from '#tables/repositories/uploads.ts';
import type { StoredDelivery } from '#tables/repositories/deliveries.ts';

/** What ingress uses of the rest of the system. Each rejects with `PortError` when it can't do its work. */

/**
 * Puts a command to its Workspace and waits for what it came to. Commands for one Workspace are appended in the order
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
  /** Every Channel that ever was, by id. */
  channels(workspaceId: string): Promise<Readonly<Record<string, Channel>>>;
  /** As its last turn left it. */
  state(workspaceId: string): Promise<WorkspaceState | null>;
}

/** What is known of how a Post's Variants do, by Variant. */
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
  /** In order of attempt and time. */
  attempts(variantId: string): Promise<readonly AttemptStep[]>;
}

export interface WebhookReader {
  /** Of the Workspace, in order of registering. */
  endpoints(workspaceId: string): Promise<Endpoints>;
  /** The newest deliveries, newest first. */
  latest(endpoint: Endpoint, limit: number): Promise<readonly StoredDelivery[]>;
  /** Null: there is none, or it was forgotten. */
  find(deliveryId: string): Promise<StoredDelivery | null>;
}

export type FindCredential = (tokenHash: string) => Promise<StoredCredential | null>;

/** Null when the Workspace has no such asset. */
export type AssetReader = (workspaceId: string, assetId: string) => Promise<Asset | null>;

/** The Workspace that an asset is of; null: there is no such asset. */
export type FindAssetOwner = (assetId: string) => Promise<string | null>;

/** `refused`: it is none of the files that are taken; `detail` says so to a person. */
export type FileJudgement =
  { readonly kind: 'facts'; readonly facts: FileFacts } | { readonly kind: 'refused'; readonly detail: string };

/** What a stored file is by its bytes, whatever it was called. */
export type JudgeFile = (file: UploadedFile) => Promise<FileJudgement>;

/** Why this installation takes no videos, for a person; null: it takes them. Never rejects. */
export type VideosUnavailable = () => Promise<string | null>;

/**
 * What stands at an address that a Member named, or why it can't be used. Never rejects for what the address does. Ends
 * early, with whatever, when `signal` is aborted.
 */
export type InspectAddress = (url: string, signal: AbortSignal) => Promise<Omit<InspectedAddress, 'assetId'>>;
