import { minuteOf, minuteStart } from '#tables/repositories/due.ts';
import { TIMERS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import type { Message } from '#messages/messages.ts';
import type { Check } from '../aftermath.ts';
import { PARTITIONS, type World } from '../world.ts';

/** A scheduler reads the rows of a minute half a minute before it begins; the rest is for what reading takes. */
const READ_AHEAD_MS = 45_000;

interface Logged<T extends Message> {
  readonly message: T;
  readonly at: number;
}

/**
 * A watermark passes no minute before what its timers carry is in the log: whoever owns the shard next reads no minute
 * before the watermark, and a timer of such a minute would never fire. Judged of Posts whose timers were set before
 * their minute was read; later ones come through the topic, which keeps them until they fire.
 */
export const watermarksWait: Check = ({ world }) => {
  // A clock that leaps makes a watermark doubtful, which says where to read from instead.
  if (world.witness.leapt) return [];
  const set = loggedIn(world, TIMERS.name, 'TimerSet');
  const due = loggedIn(world, WORKSPACE_COMMANDS.name, 'VariantsDue');
  const firedAt = firstOf(due);
  return set.flatMap(({ message: timer, at }) => {
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

function loggedIn<T extends Message['type']>(
  { log, codec }: World,
  topic: string,
  type: T,
): readonly Logged<Extract<Message, { type: T }>>[] {
  const found: Logged<Extract<Message, { type: T }>>[] = [];
  for (let partition = 0; partition < PARTITIONS; partition++)
    for (const { value, timestamp } of log.control.records({ topic, partition })) {
      const decoded = codec.decodeNow(value);
      if (decoded?.ok && decoded.message.type === type)
        found.push({ message: decoded.message as Extract<Message, { type: T }>, at: timestamp });
    }
  return found;
}

/** When each Variant was first said to be due, by its attempt. */
function firstOf(due: readonly Logged<Extract<Message, { type: 'VariantsDue' }>>[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { message, at } of due)
    for (const name of namesOf(message)) first.set(name, Math.min(first.get(name) ?? Infinity, at));
  return first;
}

function namesOf({ posts }: Extract<Message, { type: 'VariantsDue' }>): readonly string[] {
  return posts.flatMap(({ postId, attempt, variants }) =>
    variants.map((number) => `${postId} ${number} of attempt ${attempt}`),
  );
}
