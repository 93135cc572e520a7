import type { Variant } from '#domain/post/post.ts';
import { outcomeIdOf } from '#domain/workspace/events.ts';
import type { VariantOutcome } from '#messages/messages.ts';
import { everyVariant, type Check, type Violation } from '../aftermath.ts';

/**
 * Every outcome of every attempt has its event, and every event has an outcome; all copies of an event are the same
 * bytes. What was unconfirmed and is proven later has two outcomes.
 */
export const outcomesAreTold: Check = (after) => {
  const violations: Violation[] = [];
  const complain = (detail: string, about: readonly string[]): void =>
    void violations.push({ check: 'outcomes are reported', detail, about });
  const reported = new Map<string, Uint8Array>();
  // What the log lost was told: the turn's outbox is empty once it was acknowledged.
  const told = [...after.events, ...after.world.witness.gone];
  for (const { message, value } of told) {
    if (message.type !== 'VariantPublished' && message.type !== 'VariantFailed') continue;
    const copy = reported.get(message.eventId);
    if (copy !== undefined && Buffer.compare(copy, value) !== 0)
      complain(`event ${message.eventId} has two different bodies`, [message.postId.slice(0, -2), message.eventId]);
    reported.set(message.eventId, value);
  }
  const givenBack = new Set(
    [...after.commands, ...after.world.witness.gone].flatMap(({ message }) =>
      message.type === 'PublishHeld' ? [`${message.variantId} ${message.attempt}`] : [],
    ),
  );
  const expected = new Set<string>();
  /** What would tell that an attempt failed which published. */
  const proven = new Set<string>();
  for (const { post, variant } of everyVariant(after)) {
    for (let attempt = 1; attempt <= variant.attempt; attempt++) {
      const last = attempt === variant.attempt;
      if (last && variant.status !== 'published' && variant.status !== 'failed') continue;
      // It was given back while publishing was held, and came to no end of its own.
      if (!last && givenBack.has(`${variant.id} ${attempt}`)) continue;
      const type = last && variant.status === 'published' ? 'variant.published' : 'variant.failed';
      const id = outcomeIdOf({ ...variant, attempt }, type);
      expected.add(id);
      if (type === 'variant.published') proven.add(outcomeIdOf({ ...variant, attempt }, 'variant.failed'));
      if (!reported.has(id))
        complain(`there is no event ${type} of ${variant.id}, attempt ${attempt}`, [post.id.slice(0, -2)]);
    }
  }
  for (const { message } of told) {
    if (message.type !== 'VariantPublished' && message.type !== 'VariantFailed') continue;
    if (!expected.has(message.eventId) && !(isUnconfirmed(message) && proven.has(message.eventId)))
      complain(`event ${message.type} of ${message.variantId} has no such outcome`, [message.postId.slice(0, -2)]);
  }
  return violations;
};

function isUnconfirmed({ type, body }: VariantOutcome): boolean {
  const { variant } = (JSON.parse(body) as { data: { variant: Variant } }).data;
  return type === 'VariantFailed' && variant.failureReason === 'unconfirmed';
}
