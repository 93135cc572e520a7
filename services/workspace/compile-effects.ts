import type { VariantOutcome } from '#messages/messages.ts';
import { isCanary, keptSeconds } from '#domain/canary.ts';
import type { Post } from '#domain/post/post.ts';
import type { TraceCarrier } from '#domain/traceparent.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import { listeners } from '#domain/webhook/endpoint.ts';
import { outcomeOf } from '#domain/workspace/events.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { Key, RowWrite } from '#ports/table.ts';
import { auditRow } from '#tables/repositories/audit.ts';
import { assetRow } from '#tables/repositories/assets.ts';
import { weekOf } from '#domain/calendar.ts';
import type { AuditEntry } from '#domain/workspace/audit.ts';
import { auditKey, auditPeriod, bucketNumber, bucketOf } from '#tables/buckets.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { REMOVED_SECONDS } from '#tables/rows/replace-row.ts';
import { metricsTimer } from '#outbox/metrics-messages.ts';
import { commentMessage, commentTimer, publishMessage, publishTimer, WATCHDOG_MS } from '#outbox/publish-messages.ts';
import { pictureMessage, type PictureEffect } from '#outbox/picture-messages.ts';
import { endMessage, upkeepTimer } from '#outbox/upkeep-messages.ts';
import { approvalRow } from '#tables/repositories/approvals.ts';
import { membershipRows } from '#tables/repositories/memberships.ts';
import { heldVariantRows } from '#tables/repositories/held-variants.ts';
import { credentialRow } from '#tables/repositories/credentials.ts';
import type { MessageEffect, PendingEffects, RowEffect, TimerEffect } from '#tables/rows/pending-effects.ts';
import { contentRow, variantRow } from '#tables/repositories/posts.ts';
import {
  APPROVALS,
  ASSETS,
  AUDIT,
  CREDENTIALS,
  MEMBERSHIPS,
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
import { periodName } from './place-rows.ts';

export interface CompileContext extends Pick<Rules, 'duplicateWindowMs' | 'idempotencyKeyMs' | 'mediaUrl'> {
  /** Of the turn. */
  readonly format: number;
  /** As it is after the turn. */
  readonly state: WorkspaceState;
  /** Posts as they are after the turn. */
  readonly posts: ReadonlyMap<string, Post | null>;
  readonly now: number;
  /** Rows of the directory of periods. */
  readonly directory: readonly RowEffect[];
  /** Last keys of the buckets of the audit's months. */
  readonly auditEnds: ReadonlyMap<string, readonly string[]>;
  /** The trace of the command that asked for an effect, where it has one; left out: none has. */
  readonly traces?: ReadonlyMap<Effect, string> | undefined;
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
    const trace = context.traces?.get(effect);
    switch (effect.kind) {
      case 'prepare-media':
      case 'remove-files':
      case 'deliver':
      case 'publish':
      case 'comment':
      case 'copy-picture':
      case 'remove-picture':
      case 'end-connection':
        messages.push(inTrace(jobMessage(effect, context.state.id), trace));
        timers.push(...watchdogs(effect, context.now));
        break;
      case 'asset-timer':
      case 'files-timer':
        timers.push(removalTimer(context, effect));
        break;
      case 'due-timer':
        timers.push(inTrace(variantsDueTimer(context.state.id, effect), trace));
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
        messages.push(inTrace(commandMessage(context.state.id, effect), trace));
        break;
      case 'outcome':
        messages.push(inTrace(eventMessage(effect, context), trace));
        break;
      case 'idempotency-key':
        headRows.push(idempotencyKeyRow(effect, context));
        break;
      default:
        for (const row of readersRows(effect, context)) put(keptAsLongAs(row, context.state.id));
    }
  }
  for (const row of context.directory) put(keptAsLongAs(row, context.state.id));
  return { pending: { format: context.format, rows: [...rows.values()], timers, messages }, headRows };
}

const DAY_SECONDS = 86_400;

/** Tables that grow with every Post. The rows of a Workspace in other tables stay few. */
const TABLES_OF_POSTS: readonly string[] = [POSTS, POST_DAYS, POSTS_BY_DUE_WEEK, POST_DIGESTS, AUDIT].map(
  ({ name }) => name,
);

function keptAsLongAs(row: RowEffect, workspaceId: string): RowEffect {
  if (!isCanary(workspaceId) || !TABLES_OF_POSTS.includes(row.table)) return row;
  return { ...row, ttlSeconds: keptSeconds(row.ttlSeconds) };
}

/**
 * Messages go on in the trace of the command that caused them, and so does the timer of a Post. That of the command and
 * not of the turn, which may be decided again: what is owed has to be the same then. Other timers fire long after, or
 * mostly find nothing to do, and begin traces of their own.
 */
function inTrace<E extends TraceCarrier>(effect: E, trace: string | undefined): E {
  return trace === undefined ? effect : { ...effect, trace };
}

/** The rows that readers see of what changed. */
function readersRows(
  effect: EffectOf<
    | 'post-created'
    | 'post-removed'
    | 'days-emptied'
    | 'variants-changed'
    | 'asset-changed'
    | 'content-changed'
    | 'credential'
    | 'approval'
    | 'memberships'
    | 'audit'
    | 'channels-changed'
    | 'endpoints-changed'
  >,
  context: CompileContext,
): readonly RowEffect[] {
  const { state } = context;
  switch (effect.kind) {
    case 'post-created':
      return createdRows(latest(effect.post, context), context);
    case 'post-removed':
      return removedRows(effect.post);
    case 'days-emptied':
      return emptiedRows(state.id, effect);
    case 'variants-changed':
      return changedRows(latest(effect.post, context), effect.variants);
    case 'asset-changed':
      return [{ table: ASSETS.name, ...assetRow(effect.asset) }];
    case 'content-changed':
      return [{ table: POSTS.name, ...contentRow(latest(effect.post, context)) }];
    case 'credential':
      return [{ table: CREDENTIALS.name, ...credentialRow(state.id, effect) }];
    case 'approval':
      return [{ table: APPROVALS.name, ...approvalRow(state.id, effect) }];
    case 'memberships':
      return membershipRows(state, effect.memberIds).map((row) => ({ table: MEMBERSHIPS.name, ...row }));
    case 'audit':
      return [{ table: AUDIT.name, ...auditRow(state.id, effect.entry, auditBucketOf(effect.entry, context)) }];
    case 'channels-changed':
      return [viewRow(state.id, CHANNELS_VIEW, state.channels)];
    case 'endpoints-changed':
      return [viewRow(state.id, ENDPOINTS_VIEW, state.endpoints)];
  }
}

function auditBucketOf(entry: AuditEntry, { auditEnds }: CompileContext): number {
  return bucketOf(auditEnds.get(periodName(auditPeriod(entry.at))) ?? [], auditKey(entry));
}

type EffectOf<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

function commandMessage(workspaceId: string, { command }: EffectOf<'command'>): MessageEffect {
  return { topic: WORKSPACE_COMMANDS.name, key: workspaceId, message: command };
}

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
  const ttlSeconds = Math.ceil(context.idempotencyKeyMs / 1000) + KEY_KEPT_BEYOND_SECONDS;
  return { clustering: idempotencyKeyOf(key), body: encodeBody(body), format: BODY_FORMAT, ttlSeconds };
}

/** A later command of the same turn may have changed the Post again. */
function latest(post: Post, context: CompileContext): Post {
  return context.posts.get(post.id) ?? post;
}

function createdRows(post: Post, context: CompileContext): RowEffect[] {
  const rows: RowEffect[] = [
    { table: POSTS.name, ...contentRow(post) },
    ...post.variants.map((variant) => ({ table: POSTS.name, ...variantRow(post, variant) })),
    ...heldVariantRows(post, post.variants),
    {
      table: POST_DIGESTS.name,
      ...digestRow(post),
      ttlSeconds: secondsAndADay(context.duplicateWindowMs),
    },
  ];
  if (post.scheduledAt !== null) rows.push({ ...dueWeekRow(post, post.scheduledAt), value: {} });
  return rows;
}

const REMOVED = { value: null, ttlSeconds: REMOVED_SECONDS } as const;

function removedRows(post: Post): readonly RowEffect[] {
  const rows = [contentRow(post), ...post.variants.map((variant) => variantRow(post, variant))];
  return [
    ...rows.map(({ partition, clustering }) => ({ table: POSTS.name, partition, clustering, ...REMOVED })),
    ...(post.scheduledAt === null ? [] : [{ ...dueWeekRow(post, post.scheduledAt), ...REMOVED }]),
  ];
}

function emptiedRows(workspaceId: string, { days, weeks }: EffectOf<'days-emptied'>): readonly RowEffect[] {
  const row = { table: POST_DAYS.name, partition: [workspaceId], ...REMOVED };
  return [
    ...days.map((day) => ({ ...row, clustering: ['written', day] })),
    ...weeks.map((week) => ({ ...row, clustering: ['due', week] })),
  ];
}

function dueWeekRow({ id, workspaceId, buckets }: Post, scheduledAt: number): Omit<RowEffect, 'value'> {
  return {
    table: POSTS_BY_DUE_WEEK.name,
    partition: [workspaceId, bucketNumber(weekOf(scheduledAt), buckets?.week ?? 0)],
    clustering: [id, scheduledAt],
  };
}

function changedRows(post: Post, variants: readonly number[]): RowEffect[] {
  const ids = new Set(variants.map((number) => variantIdOf(post.id, number)));
  const changed = post.variants.filter((variant) => ids.has(variant.id));
  return [
    ...changed.map((variant) => ({ table: POSTS.name, ...variantRow(post, variant) })),
    ...heldVariantRows(post, changed),
  ];
}

/** A job for one of the services that work at their own pace: media, publishers, webhooks, upkeep. */
function jobMessage(
  effect:
    EffectOf<'prepare-media' | 'remove-files' | 'deliver' | 'publish' | 'comment' | 'end-connection'> | PictureEffect,
  workspaceId: string,
): MessageEffect {
  switch (effect.kind) {
    case 'end-connection': {
      const { channelId, network, connectionId } = effect;
      return endMessage({ type: 'EndConnection', workspaceId, channelId, network, connectionId, tries: 0 });
    }
    case 'copy-picture':
    case 'remove-picture':
      return pictureMessage(workspaceId, effect);
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
    case 'publish':
      return publishMessage(effect.job, 'due');
    case 'comment':
      return commentMessage(effect.job, 'due');
    case 'deliver':
      return { topic: WEBHOOK_DELIVERIES.name, key: effect.command.endpointId, message: effect.command };
  }
}

/** Publishing must come to a verdict; other jobs are repeated by what waits for them. */
function watchdogs(effect: Effect, now: number): readonly TimerEffect[] {
  if (effect.kind === 'publish') return [publishTimer(effect.job, 'watchdog', now + WATCHDOG_MS)];
  return effect.kind === 'comment' ? [commentTimer(effect.job, 'watchdog', now + WATCHDOG_MS)] : [];
}

/**
 * The timer by which an upload that no Post took, or the files of a Post that ended, are removed. One that fired early
 * is set again under another name each time (see `DueTimer`), or the storage would never be given back.
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

/**
 * How long a key of idempotency outlives its window, because clocks differ. Less than the day of `secondsAndADay`: keys
 * are rows of the head's own partition, and every Post may add one.
 */
const KEY_KEPT_BEYOND_SECONDS = 3 * 3_600;

/** A row is kept a day longer than its window: rules judge by the instant in the row, and clocks differ. */
function secondsAndADay(windowMs: number): number {
  return Math.ceil(windowMs / 1000) + DAY_SECONDS;
}
