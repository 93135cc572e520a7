import { minuteOf, minuteStart } from '#tables/repositories/due.ts';
import type { Message } from '#messages/messages.ts';
import type { Check } from '../aftermath.ts';
import { firstLogged } from './first-logged.ts';

/** A scheduler reads the rows of a minute half a minute before it begins; the rest is for what reading takes. */
const READ_AHEAD_MS = 45_000;

/**
 * The watermark of a shard passes a minute only once the message of every timer of that minute is in the log. The next
 * owner of the shard reads no minute before the watermark, so a timer that has not fired by then would never fire. Only
 * timers of Posts that were set before their minute was read are judged: later ones come through timers.v1, whose
 * offset is not committed until they fire.
 */
export const watermarksWait: Check = ({ world, timers, commands }) => {
  // A clock that leaps makes a watermark doubtful, which says where to read from instead.
  if (world.witness.leapt) return [];
  const firedAt = firstLogged(commands, 'VariantsDue', namesOf);
  return timers.flatMap(({ message: timer, at }) => {
    if (timer.type !== 'TimerSet') return [];
    const minute = minuteOf(timer.dueAt);
    if (at > minuteStart(minute) - READ_AHEAD_MS - world.maxOffsetMs) return [];
    const carried = world.codec.decodeNow(timer.payload);
    if (!carried?.ok || carried.message.type !== 'VariantsDue') return [];
    const passed = world.witness.watermarks.find((row) => row.shard === timer.shard && row.minute > minute);
    if (passed === undefined) return [];
    const waits = namesOf(carried.message).filter((name) => (firedAt.get(name) ?? Infinity) > passed.at);
    if (waits.length === 0 || carried.message.posts.some(({ postId }) => world.witness.hasLost(postId))) return [];
    const detail = `${passed.by} moved the watermark of shard ${timer.shard} to minute ${passed.minute} before timer ${timer.timerId} of minute ${minute} had fired`;
    return [{ check: 'watermarks wait', detail, about: [timer.timerId] }];
  });
};

function namesOf({ posts }: Extract<Message, { type: 'VariantsDue' }>): readonly string[] {
  return posts.flatMap(({ postId, attempt, variants }) =>
    variants.map((number) => `${postId} ${number} of attempt ${attempt}`),
  );
}
