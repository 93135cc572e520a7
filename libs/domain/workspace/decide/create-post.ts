import { variantIdOf, instantOf } from '../../post/ids.ts';
import { withDefaults } from '../../channel/channel-defaults.ts';
import type { Channel } from '../../channel/channel.ts';
import type { Placement } from '../../network.ts';
import type { ChannelOptions } from '../../post/channel-options.ts';
import type { WorkspaceState } from '../state.ts';
import { countPost } from '../../plan/month.ts';
import { creditsHeldBy, reserveCredits } from '../../plan/credits.ts';
import { placementsOf } from '../../post/placements.ts';
import { tooLarge } from '../../post/weight.ts';
import type { Post, Variant } from '../../post/post.ts';
import { keepBack, startPublishing } from '../../variant/moves.ts';
import type { CreatePost } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { countHeld, withHeld } from '../held-counts.ts';
import { shownNameOf } from '../shown-name.ts';
import type { Blocker, Refusal } from '../results.ts';
import {
  refusal,
  refuse,
  authorize,
  unchanged,
  type DecideResult,
  type DecisionContext,
  type Authorization,
} from '../decision-context.ts';
import type { DraftFile } from '../../post/draft.ts';
import { attachmentsOf, type AttachedFiles, type Attachment, type Attachments } from './attachments.ts';
import { blockersOf } from './blockers.ts';
import { awaitMedia, dueEffects, mustWait } from './come-due.ts';
import { judgePlan, judgeTime } from './post-limits.ts';
import { byIdempotencyKey, bySamePost, keyDigestOf } from './repeated-post.ts';
import { replacedBy } from './replaced-post.ts';

const MAX_CHANNELS = 100;

/**
 * Judged in this order: the key and its permission, the size, the verified e-mail, the Idempotency-Key, the 10-minute
 * rule, the time, the files, the Plan, the blockers. A repeat is answered with the first Post, even where a later
 * check would refuse it.
 */
export function createPost(situation: DecisionContext, sent: CreatePost): DecideResult {
  const { state } = situation;
  const command = { ...sent, channelOptions: resolvedOptions(state, sent) };
  const permission = command.scheduledAt === null && !command.dryRun ? 'posts:publish' : 'posts:schedule';
  const standing = authorize(state, command.credential, permission);
  if (!standing.ok) return unchanged(state, standing);
  const malformed = malformation(command);
  if (malformed) return refuse(state, 'invalid_request', malformed);
  const large = tooLarge(command);
  if (large) return refuse(state, 'too_large', large);
  if (standing.member && !standing.member.emailVerified) {
    return refuse(
      state,
      'email_not_verified',
      `${shownNameOf(standing.member)} has to verify the account's e-mail before a Post can be made.`,
    );
  }
  if (!command.dryRun) {
    const repeated = repeatOf(situation, command);
    if (repeated) return repeated;
  }
  const replaced = replacedBy(situation, command);
  if (!replaced.ok) return unchanged(state, replaced);
  const { after, change } = replaced;
  if (command.dryRun) return { ...verdict(after, command), state };
  const early = judgeTime(after, command);
  if (early) return unchanged(state, early);
  const attached = attachmentsOf(after, command);
  if (!attached.ok) return unchanged(state, attached.refusal);
  const refused = judgePlan(after, command) ?? refusedBy(blockersOf(after, command, draftsOf(attached, command)));
  if (refused) return unchanged(state, refused);
  const created = create(after, command, standing, { ...attached, replaced: change?.post ?? null });
  if (change === null) return created;
  return { ...created, posts: [change.post, ...created.posts], effects: [change.effect, ...created.effects] };
}

/** Defaults are frozen into the Post when it is created: a change of them is meant for later Posts. */
function resolvedOptions(
  { channels }: Pick<WorkspaceState, 'channels'>,
  { channelIds, channelOptions }: CreatePost,
): CreatePost['channelOptions'] {
  const resolved: Record<string, ChannelOptions> = { ...channelOptions };
  for (const id of channelIds) {
    const channel = channels[id];
    if (channel?.defaults !== undefined) resolved[id] = withDefaults(channel, channelOptions[id]);
  }
  return resolved;
}

function malformation(command: CreatePost): string | null {
  const count = command.channelIds.length;
  if (count < 1 || count > MAX_CHANNELS) return `channelIds takes 1 to ${MAX_CHANNELS} Channels.`;
  return new Set(command.channelIds).size === count ? null : 'channelIds names the same Channel twice.';
}

function refusedBy(blockers: readonly Blocker[]): Refusal | null {
  if (blockers.length === 0) return null;
  return refusal('post_refused', 'This Post cannot be made as it is. See what stands against it for each Channel.', {
    blockers,
  });
}

/** Judges everything at once: what would be a refusal of the whole Post becomes a blocker without a Channel. */
function verdict(situation: DecisionContext, command: CreatePost): DecideResult {
  const plan = judgePlan(situation, command);
  const attached = attachmentsOf(situation, command);
  const late = judgeTime(situation, command);
  const blockers: Blocker[] = [
    ...(late === null ? [] : [{ code: 'problem', message: late.message, path: 'scheduledAt' } as const]),
    ...(attached.ok ? [] : [{ code: 'problem', message: attached.refusal.message, path: attached.path } as const]),
    ...(plan === null ? [] : [{ code: 'problem', message: plan.message } as const]),
  ];
  blockers.push(...blockersOf(situation, command, draftsOf(attached, command)));
  return unchanged(situation.state, { ok: true, kind: 'verdict', blockers, upgrade: plan?.upgrade ?? null });
}

/** Of files that can not be attached only the number is known. */
function draftsOf(attached: Attachments, { media }: CreatePost): readonly DraftFile[] {
  if (attached.ok) return attached.files.map(({ draft }) => draft);
  return media.map(({ altText = '' }) => ({ kind: null, contentType: '', bytes: null, altText }));
}

function repeatOf(situation: DecisionContext, command: CreatePost): DecideResult | null {
  const byKey = byIdempotencyKey(situation, command);
  const repeat = 'kind' in byKey && byKey.kind === 'first' ? bySamePost(situation, command) : byKey;
  if (!('kind' in repeat)) return unchanged(situation.state, repeat);
  if (repeat.kind === 'first') return null;
  const result = { ok: true, kind: 'post', postId: repeat.postId, replayed: true } as const;
  return {
    ...unchanged(situation.state, result),
    effects: byKey === repeat ? [] : rememberKey(command, repeat.postId),
  };
}

function rememberKey(command: CreatePost, postId: string): Effect[] {
  if (command.idempotencyKey === null) return [];
  return [
    {
      kind: 'idempotency-key',
      key: command.idempotencyKey,
      postId,
      digest: keyDigestOf(command),
      createdAt: command.issuedAt,
    },
  ];
}

/** `replaced`: whose files the Post may have, and then addresses of them that were made void stay so. */
interface Succession {
  readonly replaced: Post | null;
}

function create(
  situation: DecisionContext,
  command: CreatePost,
  standing: Extract<Authorization, { ok: true }>,
  { files, covers, replaced }: AttachedFiles & Succession,
): DecideResult {
  const { state } = situation;
  const post = postOf(situation, command, standing, { files, replaced });
  const credits = post.variants.reduce((sum, variant) => sum + creditsHeldBy(variant), 0);
  const effects: Effect[] = [
    { kind: 'post-created', post },
    ...[...files, ...covers].map(({ asset }): Effect => ({ kind: 'asset-changed', asset })),
  ];
  if (post.scheduledAt === null && files.length > 0) effects.push(...awaitMedia(situation, post, post.variants));
  else if (post.scheduledAt === null) {
    effects.push(...post.variants.flatMap((variant) => dueEffects(situation, post, variant)));
  } else {
    const due = { postId: post.id, attempt: 1, variants: post.variants.map((_, index) => index + 1) };
    effects.push({ kind: 'due-timer', timerId: `due/${post.id}/1`, at: post.scheduledAt, due });
    if (files.length > 0) effects.push({ kind: 'prepare-media', postId: post.id });
  }
  return {
    state: {
      ...withHeld(
        state,
        post.variants.reduce((held, variant) => countHeld(held, null, variant), state.held),
      ),
      // A successor takes the place of a Post that was counted.
      usage: command.replaces === undefined ? countPost(state.usage, command.issuedAt) : state.usage,
      xCredits: reserveCredits(state.xCredits, credits),
    },
    posts: [post],
    result: { ok: true, kind: 'post', postId: post.id, replayed: false },
    effects: [...effects, ...rememberKey(command, post.id)],
    rest: null,
  };
}

function postOf(
  situation: DecisionContext,
  command: CreatePost,
  standing: Extract<Authorization, { ok: true }>,
  { files, replaced }: { readonly files: readonly Attachment[] } & Succession,
): Post {
  // The id says where the Post's rows are and how lists are ordered: the instant in it is the one that counts.
  const createdAt = instantOf(command.postId);
  return {
    id: command.postId,
    workspaceId: situation.state.id,
    text: command.text,
    createdAt,
    scheduledAt: command.scheduledAt,
    via: standing.via,
    media: files.map(({ file }) => file),
    ...(replaced?.addressVersion !== undefined && { addressVersion: replaced.addressVersion }),
    channelOptions: command.channelOptions,
    digest: command.digest,
    variants: variantsOf(situation, command, createdAt),
  };
}

function variantsOf(situation: DecisionContext, command: CreatePost, createdAt: number): Variant[] {
  const { state } = situation;
  const places = command.channelIds.flatMap((id) => {
    const channel = state.channels[id]!;
    return placementsOf(command.channelOptions[id]).map((placement) => ({ channel, placement }));
  });
  return places.map(({ channel, placement }, index) => {
    const variant: Variant = {
      id: variantIdOf(command.postId, index + 1),
      channelId: channel.id,
      network: channel.network,
      placement,
      status: 'scheduled',
      scheduledAt: command.scheduledAt,
      dueAt: command.scheduledAt ?? createdAt,
      attempt: 1,
      failureReason: null,
      failureDetail: null,
      remoteId: null,
      permalink: null,
      mediaReady: command.media.length === 0,
      cancelledAt: null,
      cancelledByDisconnect: null,
      creditReserved: channel.network === 'x',
      channelDisconnects: channel.disconnects,
      reconcileFirst: false,
      ...firstCommentOf(channel, placement, command.channelOptions[channel.id]),
    };
    if (command.scheduledAt !== null || !variant.mediaReady) return variant;
    return mustWait(situation, variant) ? keepBack(variant) : startPublishing(variant);
  });
}

function firstCommentOf(
  { network }: Channel,
  placement: Placement,
  options: ChannelOptions | undefined,
): Pick<Variant, 'firstComment'> {
  if (placement === 'story' || options?.firstComment === undefined) return {};
  const creditReserved = network === 'x';
  return { firstComment: { status: 'waiting', permalink: null, detail: null, creditReserved } };
}
