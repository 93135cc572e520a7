import type { DeliverEvent } from '#messages/messages.ts';
import type { MessageEffect, TimerEffect } from '#tables/rows/pending-effects.ts';
import { shardOf, WEBHOOK_DELIVERIES } from '#tables/declarations/topics.ts';

/** An attempt as a message to the deliverer of its endpoint. */
export function deliverMessage({ trace, ...attempt }: Omit<DeliverEvent, 'type'>): MessageEffect {
  return {
    topic: WEBHOOK_DELIVERIES.name,
    key: attempt.endpointId,
    message: { ...attempt, type: 'DeliverEvent' },
    ...(trace !== undefined && { trace }),
  };
}

/** The same attempt, at an instant. `dueAt` is of the timer: what is put off keeps the instant it was due at. */
export function deliverTimer(attempt: Omit<DeliverEvent, 'type'>, dueAt: number): TimerEffect {
  const { deliveryId, round, attempt: number, putOff } = attempt;
  return {
    shard: shardOf(attempt.workspaceId),
    timerId: `deliver ${deliveryId} ${round} ${number} ${putOff}`,
    dueAt,
    ...deliverMessage(attempt),
  };
}
