import type { VariantOutcome } from '#messages/messages.ts';
import type { Post } from '#domain/post/post.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import { listeners } from '#domain/webhook/endpoint.ts';
import { outcomeOf } from '#domain/workspace/events.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { Key, RowWrite } from '#ports/table.ts';
import { assetRow } from '#tables/repositories/assets.ts';
import { dayOf, weekOf } from '#domain/calendar.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { metricsTimer } from '#outbox/metrics-messages.ts';
import { publishMessage, publishTimer, WATCHDOG_MS } from '#outbox/publish-messages.ts';
import { upkeepTimer } from '#outbox/upkeep-messages.ts';
import { credentialRow } from '#tables/repositories/credentials.ts';
import type { MessageEffect, PendingEffects, RowEffect, TimerEffect } from '#tables/rows/pending-effects.ts';
import { contentRow, variantRow } from '#tables/repositories/posts.ts';
import {
  ASSETS,
  CREDENTIALS,
  POSTS,
  POSTS_BY_DUE_WEEK,
  POST_DAYS,
  POST_DIGESTS,
  WORKSPACE_VIEWS,
} from '#tables/declarations/tables.ts';
import {
  MEDIA_JOBS,
  MEDIA_REMOVALS,
  shardOf,
  WEBHOOK_DELIVERIES,
  WORKSPACE_COMMANDS,
  WORKSPACE_EVENTS,
} from '#tables/declarations/topics.ts';
import { digestRow } from '#tables/repositories/post-digests.ts';
import { CHANNELS_VIEW, ENDPOINTS_VIEW, idempotencyKeyOf } from '#tables/repositories/workspaces.ts';

export interface CompileContext extends Pick<Rules, 'duplicateWindowMs' | 'idempotencyKeyMs' | 'mediaUrl'> {
  /** As it is after the turn. */
  readonly state: WorkspaceState;
  /** Posts as they are after the turn. */
  readonly posts: ReadonlyMap<string, Post | null>;
  readonly now: number;
}

export interface CompiledEffects {
  readonly pending: PendingEffects;
  /** Rows that go into the turn's own atom, beside the head. */
  readonly headRows: readonly Omit<RowWrite, 'partition'>[];
}

/** Turns what decide asked for into rows, timers and messages, one row a key: the last one says all. */
export function compileEffects(effects: readonly Effect[], context: CompileContext): CompiledEffects {
  const rows = new Map<string, RowEffect>();
  const timers: TimerEffect[] = [];
  const messages: MessageEffect[] = [];
  const headRows: Omit<RowWrite, 'partition'>[] = [];
  const put = (row: RowEffect): void => void rows.set(JSON.stringify([row.table, row.partition, row.clustering]), row);
  for (const effect of effects) {
    switch (effect.kind) {
      case 'post-created':
        for (const row of createdRows(latest(effect.post, context), context)) put(row);
        break;
      case 'variants-changed':
        for (const row of changedRows(latest(effect.post, context), effect.variants)) put(row);
        break;
      case 'asset-changed':
        put({ table: ASSETS.name, ...assetRow(effect.asset) });
        break;
      case 'content-changed':
        put({ table: POSTS.name, ...contentRow(latest(effect.post, context)) });
        break;
      case 'prepare-media':
      case 'remove-files':
      case 'deliver':
        messages.push(jobMessage(effect, context.state.id));
        break;
      case 'asset-timer':
      case 'files-timer':
        timers.push(removalTimer(context, effect));
        break;
      case 'publish':
        messages.push(publishMessage(effect.job, 'due'));
        timers.push(publishTimer(effect.job, 'watchdog', context.now + WATCHDOG_MS));
        break;
      case 'due-timer':
        timers.push(variantsDueTimer(context.state.id, effect));
        break;
      case 'upkeep-timer':
        timers.push(upkeepTimer(effect.upkeep, effect.upkeep.dueAt));
        break;
      case 'metrics-timer':
        timers.push(metricsTimer(effect.reading, effect.reading.dueAt));
        break;
      case 'plan-timer':
        timers.push(planDueTimer(context.state.id, effect));
        break;
      case 'command':
        messages.push({ topic: WORKSPACE_COMMANDS.name, key: context.state.id, message: effect.command });
        break;
      case 'outcome':
        messages.push(eventMessage(effect, context));
        break;
      case 'credential':
        put({ table: CREDENTIALS.name, ...credentialRow(context.state.id, effect) });
        break;
      case 'channels-changed':
        put(viewRow(context.state.id, CHANNELS_VIEW, context.state.channels));
        break;
      case 'endpoints-changed':
        put(viewRow(context.state.id, ENDPOINTS_VIEW, context.state.endpoints));
        break;
      case 'idempotency-key':
        headRows.push(idempotencyKeyRow(effect, context));
        break;
    }
  }
  return { pending: { format: BODY_FORMAT, rows: [...rows.values()], timers, messages }, headRows };
}

type EffectOf<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

function variantsDueTimer(workspaceId: string, { timerId, at, due }: EffectOf<'due-timer'>): TimerEffect {
  return workspaceTimer(workspaceId, timerId, at, { type: 'VariantsDue', workspaceId, posts: [due] });
}

function planDueTimer(workspaceId: string, { timerId, at }: EffectOf<'plan-timer'>): TimerEffect {
  return workspaceTimer(workspaceId, timerId, at, { type: 'PlanDue', workspaceId });
}

function eventMessage(effect: EffectOf<'outcome'>, context: CompileContext): MessageEffect {
  return { topic: WORKSPACE_EVENTS.name, key: context.state.id, message: outcomeMessage(effect, context) };
}

function viewRow(workspaceId: string, clustering: Key, value: unknown): RowEffect {
  return { table: WORKSPACE_VIEWS.name, partition: [workspaceId], clustering, value };
}

function idempotencyKeyRow(
  { kind: _, key, ...body }: EffectOf<'idempotency-key'>,
  context: CompileContext,
): Omit<RowWrite, 'partition'> {
  const ttlSeconds = secondsAndADay(context.idempotencyKeyMs);
  return { clustering: idempotencyKeyOf(key), body: encodeBody(body), format: BODY_FORMAT, ttlSeconds };
}

/** A later command of the same turn may have changed the Post again. */
function latest(post: Post, context: CompileContext): Post {
  return context.posts.get(post.id) ?? post;
}

function createdRows(post: Post, context: CompileContext): RowEffect[] {
  const workspace = [post.workspaceId];
  const rows: RowEffect[] = [
    { table: POSTS.name, ...contentRow(post) },
    ...post.variants.map((variant) => ({ table: POSTS.name, ...variantRow(post, variant) })),
    { table: POST_DAYS.name, partition: workspace, clustering: ['written', dayOf(post.createdAt)], value: {} },
    {
      table: POST_DIGESTS.name,
      ...digestRow(post),
      ttlSeconds: secondsAndADay(context.duplicateWindowMs),
    },
  ];
  if (post.scheduledAt !== null) {
    const week = weekOf(post.scheduledAt);
    rows.push({ table: POST_DAYS.name, partition: workspace, clustering: ['due', week], value: {} });
    rows.push({
      table: POSTS_BY_DUE_WEEK.name,
      partition: [post.workspaceId, week],
      clustering: [post.id, post.scheduledAt],
      value: {},
    });
  }
  return rows;
}

function changedRows(post: Post, variants: readonly number[]): RowEffect[] {
  const ids = new Set(variants.map((number) => variantIdOf(post.id, number)));
  const changed = post.variants.filter((variant) => ids.has(variant.id));
  return changed.map((variant) => ({ table: POSTS.name, ...variantRow(post, variant) }));
}

/** For who does slow things at their own pace. */
function jobMessage(
  effect: Extract<Effect, { kind: 'prepare-media' | 'remove-files' | 'deliver' }>,
  workspaceId: string,
): MessageEffect {
  switch (effect.kind) {
    case 'prepare-media':
      return {
        topic: MEDIA_JOBS.name,
        key: effect.postId,
        message: { type: 'PrepareMedia', workspaceId, postId: effect.postId, tries: 0 },
      };
    case 'remove-files':
      return {
        topic: MEDIA_REMOVALS.name,
        key: effect.assetId,
        message: { type: 'RemoveFiles', workspaceId, assetId: effect.assetId },
      };
    case 'deliver':
      return { topic: WEBHOOK_DELIVERIES.name, key: effect.command.endpointId, message: effect.command };
  }
}

/**
 * Of an upload that no Post took, or of the files of a Post that ended. One that fired early is set again under another
 * name each time: a scheduler takes one of the same name and instant for the one that it has fired, and the storage
 * would never be given back.
 */
function removalTimer(
  { state, now }: CompileContext,
  effect: Extract<Effect, { kind: 'asset-timer' | 'files-timer' }>,
): TimerEffect {
  const workspaceId = state.id;
  if (effect.kind === 'asset-timer') {
    const { assetId, expiresAt, at } = effect;
    const name = `upload/${assetId}/${expiresAt}`;
    return workspaceTimer(workspaceId, at === expiresAt ? name : `${name}/${now}`, at, {
      type: 'UploadExpired',
      workspaceId,
      assetId,
      expiresAt,
    });
  }
  const { kind: _, at, ...due } = effect;
  const name = `files/${due.postId}/${due.attempts}`;
  return workspaceTimer(workspaceId, at === due.dueAt ? name : `${name}/${now}`, at, {
    type: 'FilesDue',
    workspaceId,
    ...due,
  });
}

function workspaceTimer(
  workspaceId: string,
  timerId: string,
  dueAt: number,
  message: TimerEffect['message'],
): TimerEffect {
  return { shard: shardOf(workspaceId), timerId, dueAt, topic: WORKSPACE_COMMANDS.name, key: workspaceId, message };
}

function outcomeMessage(
  effect: Extract<Effect, { kind: 'outcome' }>,
  { state, mediaUrl }: CompileContext,
): VariantOutcome {
  const event = outcomeOf(effect, { channels: state.channels, mediaUrl });
  return {
    type: event.type === 'variant.published' ? 'VariantPublished' : 'VariantFailed',
    workspaceId: state.id,
    eventId: event.id,
    postId: effect.post.id,
    variantId: variantIdOf(effect.post.id, effect.variant),
    createdAt: effect.at,
    body: JSON.stringify(event),
    endpointIds: listeners(state.endpoints, event.type),
  };
}

const DAY_SECONDS = 86_400;

/** Garbage collection comes well after expiry: rules judge by stored times, and clocks differ. */
function secondsAndADay(windowMs: number): number {
  return Math.ceil(windowMs / 1000) + DAY_SECONDS;
}
