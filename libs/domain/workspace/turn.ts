import type { Asset } from '../media/asset.ts';
import type { Network } from '../network.ts';
import type { ChannelOptions, Post } from '../post/post.ts';
import type { MediaUrl } from '../post/render.ts';
import type { Channel } from '../channel/channel.ts';
import type { Command } from './commands.ts';
import type { Effect } from './effects.ts';
import type { Blocker, Result } from './results.ts';
import type { WorkspaceState } from './state.ts';

/** What a command names beside the state; the owner loads it before deciding. */
export interface Needs {
  readonly posts: readonly string[];
  readonly assets: readonly string[];
  /** A digest of the 10-minute rule. */
  readonly digest: string | null;
  readonly idempotencyKey: string | null;
  /** Of a key that is to be made. */
  readonly tokenHash: string | null;
  /** Ids of Posts due in a week, after one, in the table's order (newest first); at most `limit`. */
  readonly dueWeek: { readonly week: number; readonly afterPostId: string | null; readonly limit: number } | null;
}

/**
 * The loaded things, as they are after the commands before this one in the same turn: what `Needs` names, and the Posts
 * that the answers to it name.
 */
export interface View {
  /** Every Post of `needs.posts`, `digests` and `dueWeek.postIds`; null: there is no such Post in this Workspace. */
  readonly posts: ReadonlyMap<string, Post | null>;
  /** Every asset of `needs.assets`; null: there is no such asset in this Workspace. */
  readonly assets: ReadonlyMap<string, Asset | null>;
  /** digest -> the Post it was made for, null when none is remembered. */
  readonly digests: ReadonlyMap<string, { readonly postId: string; readonly createdAt: number } | null>;
  /** key -> what was made with it. */
  readonly idempotencyKeys: ReadonlyMap<string, { readonly postId: string; readonly digest: string; readonly createdAt: number } | null>;
  /** tokenHash -> the Workspace whose it is for good, by the first of all Workspaces that asked for it. */
  readonly tokenOwners: ReadonlyMap<string, string>;
  /** The answer to `needs.dueWeek`: ids, whether they are the week's last, and every later week that holds due Posts, ascending. */
  readonly dueWeek: { readonly postIds: readonly string[]; readonly ended: boolean; readonly weeks: readonly number[] } | null;
}

export interface Draft {
  readonly text: string;
  readonly placement: 'feed' | 'story';
  /** All that a Network may judge it by: Channels that agree in it are judged once. */
  readonly channel: Pick<Channel, 'network' | 'kind'>;
  /** Of the Channel, those that concern its Network. */
  readonly options: ChannelOptions;
  /** In order. What a Member gave, not what is made of it. */
  readonly media: readonly DraftFile[];
}

export interface DraftFile {
  /** null: not known yet. */
  readonly kind: 'image' | 'video' | null;
  /** '' = not known yet. */
  readonly contentType: string;
  readonly bytes: number | null;
  /** Videos only; left out: not known yet. */
  readonly durationMs?: number | null;
  /** '' = none. */
  readonly altText: string;
}

/** What one Network allows, as data and pure functions; libs/networks/<name>/limits.ts has one for each. */
export interface NetworkLimits {
  readonly network: Network;
  /** Problems of this Variant, worded for a person; empty when there are none. */
  judge(draft: Draft): readonly Omit<Blocker, 'channelId'>[];
}

export interface Rules {
  readonly earliestScheduleMs: number;
  readonly latestScheduleMs: number;
  readonly duplicateWindowMs: number;
  readonly missedWindowMs: number;
  readonly idempotencyKeyMs: number;
  readonly mediaUrl: MediaUrl;
  /** From a reservation until its file must have come. */
  readonly uploadWindowMs: number;
  /** How long a complete upload waits for a Post. */
  readonly unusedUploadMs: number;
  /** How long files are kept after the last Variant of their Post has ended. */
  readonly filesKeptMs: number;
  readonly limits: Readonly<Partial<Record<Network, NetworkLimits>>>;
}

export interface Decision {
  readonly state: WorkspaceState;
  /** Posts as they are after the command, those it changed only. */
  readonly posts: readonly Post[];
  /** null for reports of our own services. */
  readonly result: Result | null;
  readonly effects: readonly Effect[];
  /** Set when the command was too long for one step: what is left of it, to be decided next. */
  readonly rest: Command | null;
}

/**
 * The rules, pure. `state` null: the Workspace does not exist yet. `now` is the owner's wall clock, for what is due and
 * late; what a client asked for is judged by its own `issuedAt`.
 */
export type Decide = (
  state: WorkspaceState | null,
  view: View,
  command: Command,
  now: number,
  rules: Rules,
) => Omit<Decision, 'state'> & { readonly state: WorkspaceState | null };
export type NeedsOf = (command: Command, now: number) => Needs;
