import { z } from 'zod';
import { isPostId, isVariantId, postIdOfVariant } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import type { Evidence } from '#tables/repositories/ledger.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { Id, isoOf } from './fields.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, refused, router } from './procedure.ts';
import { findWorkspaceOf } from './whereabouts/find-post.ts';
import { timerState } from './whereabouts/timer-words.ts';
import { readVariantFacts, type LedgerFacts, type VariantFacts } from './whereabouts/variant-facts.ts';
import { whereaboutsOf } from './whereabouts/variant-words.ts';

/** What an operator can be given: the id alone is enough; the Workspace's spares the search for it. */
const GetPost = z.strictObject({ postId: Id, workspaceId: Id.optional() });
const GetVariant = z.strictObject({ variantId: Id, workspaceId: Id.optional() });

type Options = Pick<AdminOptions, 'store' | 'log' | 'due' | 'codec' | 'clock'>;

export function postProcedures(options: Options) {
  return router({
    /** A Post without its text: where each of its Variants is, in words. */
    get: procedure.input(GetPost).query(async ({ input: { postId, workspaceId } }) => {
      if (isVariantId(postId))
        throw noSuch(
          `This is the id of a Variant: use crier admin variants.get, or the Post's id, ${postIdOfVariant(postId)}.`,
        );
      const post = isPostId(postId) ? await findPost(options, postId, workspaceId) : null;
      if (post === null) throw noSuch('There is no such Post in any Workspace.', workspaceId);
      const facts = await readVariantFacts(options, post, post.variants);
      return { ...describedPost(post), variants: facts.map(describedBriefly) };
    }),
  });
}

export function variantProcedures(options: Options) {
  return router({
    /** The ledger, the timers and the places in the log of one Variant, and what they come to, in words. */
    get: procedure.input(GetVariant).query(async ({ input: { variantId, workspaceId } }) => {
      if (isPostId(variantId))
        throw noSuch('This is the id of a Post: use crier admin posts.get, which names its Variants.');
      const post = isVariantId(variantId) ? await findPost(options, postIdOfVariant(variantId), workspaceId) : null;
      const variant = post?.variants.find(({ id }) => id === variantId);
      if (post === null || variant === undefined)
        throw noSuch('There is no such Variant in any Workspace.', workspaceId);
      const [facts] = await readVariantFacts(options, post, [variant]);
      return describedWhole(facts!);
    }),
  });
}

function noSuch(message: string, workspaceId?: string) {
  const words = workspaceId === undefined ? message : message.replace('any Workspace', 'this Workspace');
  return refused({ code: 'not_found', message: words });
}

async function findPost({ store }: Options, postId: string, known: string | undefined): Promise<Post | null> {
  const workspaceId = known ?? (await findWorkspaceOf(store, postId));
  return workspaceId === null ? null : readPost(store, workspaceId, postId);
}

const isoOrNull = (instant: number | null): string | null => (instant === null ? null : isoOf(instant));

/** No text: an operator looks for where it is. */
function describedPost({ id, workspaceId, createdAt, scheduledAt, via, media }: Post) {
  return {
    postId: id,
    workspaceId,
    createdAt: isoOf(createdAt),
    scheduledAt: isoOrNull(scheduledAt),
    via: via?.kind ?? null,
    media: media.map(({ assetId, kind, stored }) => ({ assetId, kind, stored: stored !== null })),
  };
}

function describedBriefly(facts: VariantFacts) {
  const { id, network, placement, channelId, status, attempt, dueAt } = facts.variant;
  const { waitsFor, words } = whereaboutsOf(facts);
  return {
    ...{ variantId: id, network, placement, channelId, status, attempt },
    dueAt: isoOf(dueAt),
    waitsFor,
    words: words.join(' '),
  };
}

function describedWhole(facts: VariantFacts) {
  const { post, variant, channel, ledger, commentLedger, timers, shard, log } = facts;
  return {
    ...describedBriefly(facts),
    words: whereaboutsOf(facts).words,
    postId: post.id,
    workspaceId: post.workspaceId,
    scheduledAt: isoOrNull(variant.scheduledAt),
    channelState: channel?.state ?? null,
    failureReason: variant.failureReason,
    permalink: variant.permalink,
    ledger: describedLedger(ledger),
    firstComment: commentLedger === null ? null : describedLedger(commentLedger),
    timers: timers.map((timer) => ({
      name: timer.name,
      dueAt: isoOf(timer.dueAt),
      shard: timer.shard,
      topic: timer.topic,
      state: timerState(timer, facts),
    })),
    shard: shard === null ? null : { shard: shard.number, owner: shard.owner },
    log: typeof log === 'string' ? { detail: log } : log,
  };
}

function describedLedger({ arm, evidence }: LedgerFacts) {
  return {
    arm: arm === null ? null : describedArm(arm),
    evidence: evidence.map(({ attempt, step, outcome, startedAt, finishedAt, detail }: Evidence) => ({
      attempt,
      step,
      outcome,
      startedAt: isoOf(startedAt),
      finishedAt: isoOf(finishedAt),
      detail,
    })),
  };
}

function describedArm({
  attempt,
  stage,
  armedAt,
  notBefore,
  asked,
  failures,
  verdict,
}: NonNullable<LedgerFacts['arm']>) {
  return {
    ...{ attempt, stage, asked, failures },
    armedAt: armedAt === 0 ? null : isoOf(armedAt),
    notBefore: notBefore === 0 ? null : isoOf(notBefore),
    verdict: verdict?.kind ?? null,
  };
}
