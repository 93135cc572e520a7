import type { TraceCarrier } from '#domain/traceparent.ts';
import type { PublishComment, PublishVariant } from '#messages/messages.ts';
import type { CommentJob, PublishJob } from '#domain/workspace/effects.ts';
import type { MessageEffect, TimerEffect } from '#tables/rows/pending-effects.ts';
import { PUBLISH, shardOf } from '#tables/declarations/topics.ts';

/** An attempt at a Variant that says `publishing` is looked after when nothing was heard of it for so long. */
export const WATCHDOG_MS = 10 * 60_000;

/** A job for the publishers of its Network, in the mailbox of its Channel. */
export function publishMessage(job: PublishJob, why: PublishVariant['why']): MessageEffect {
  return { topic: PUBLISH[job.network].name, key: job.channelId, message: { ...job, type: 'PublishVariant', why } };
}

/** The same job, at an instant. */
export function publishTimer(job: PublishJob & TraceCarrier, why: 'continue' | 'watchdog', dueAt: number): TimerEffect {
  return {
    shard: shardOf(job.workspaceId),
    timerId: `${why} ${job.variantId} ${job.attempt}`,
    dueAt,
    ...publishMessage(job, why),
    ...tracedUnlessWatchdog(job, why),
  };
}

/** A first comment goes through the mailbox of its Channel too, so that it comes after what it belongs to. */
export function commentMessage(job: CommentJob, why: PublishComment['why']): MessageEffect {
  return { topic: PUBLISH[job.network].name, key: job.channelId, message: { ...job, type: 'PublishComment', why } };
}

/** The same job, at an instant. */
export function commentTimer(job: CommentJob & TraceCarrier, why: 'continue' | 'watchdog', dueAt: number): TimerEffect {
  return {
    shard: shardOf(job.workspaceId),
    timerId: `${why} comment ${job.variantId}`,
    dueAt,
    ...commentMessage(job, why),
    ...tracedUnlessWatchdog(job, why),
  };
}

/** A watchdog fires for every attempt, and nearly always finds it ended: that is no part of its trace. */
function tracedUnlessWatchdog({ trace }: TraceCarrier, why: 'continue' | 'watchdog'): TraceCarrier {
  return trace === undefined || why === 'watchdog' ? {} : { trace };
}
