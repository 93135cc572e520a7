import type { Codec } from '#messages/messages.ts';
import { postIdOfVariant, variantIdOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import type { Clock } from '#ports/clock.ts';
import { minuteOf, nameOfTimer, type DueTimer, type DueTimers } from '#tables/repositories/due.ts';
import { shardOf } from '#tables/declarations/topics.ts';

/** A timer of a Post, as its row in `due` has it. Rows stay for a day after they fired. */
export interface TimerFact {
  /** What it is for: the name that its setter gave it. */
  readonly name: string;
  readonly dueAt: number;
  readonly shard: number;
  /** To which topic its message goes. */
  readonly topic: string;
  /** null: it is of the whole Post. */
  readonly variantIds: readonly string[] | null;
}

export interface TimersOfPost {
  readonly timers: readonly TimerFact[];
  /** The minutes held more timers than were read. */
  readonly leftOut: boolean;
}

/** Watchdogs, and timers that were set again, are at most this far ahead. */
const AHEAD_MINUTES = 12;
const BEHIND_MINUTES = 2;
const PAGE = 2_000;
const MAX_TIMERS = 50_000;

/**
 * The Post's timers in the minutes of these instants and around now. Timers are kept by shard and minute only, so those
 * of other Posts in the same minutes are read too, up to 50,000. Rejects with `PortError`.
 */
export async function readTimersOf(
  {
    due,
    codec,
    clock,
  }: { readonly due: Pick<DueTimers, 'read'>; readonly codec: Codec; readonly clock: Pick<Clock, 'now'> },
  post: Pick<Post, 'id' | 'workspaceId'>,
  instants: readonly number[],
): Promise<TimersOfPost> {
  const shard = shardOf(post.workspaceId);
  const present = minuteOf(clock.now());
  const minutes = new Set(instants.map(minuteOf));
  for (let minute = present - BEHIND_MINUTES; minute <= present + AHEAD_MINUTES; minute++) minutes.add(minute);
  const timers: TimerFact[] = [];
  let left = MAX_TIMERS;
  for (const minute of [...minutes].toSorted((a, b) => a - b)) {
    let after: Pick<DueTimer, 'dueAt' | 'timerId'> | null = null;
    for (;;) {
      const rows: readonly DueTimer[] = await due.read(shard, minute, after, Math.min(PAGE, left));
      for (const timer of rows) if (isOf(timer, post.id)) timers.push(await factOf(codec, timer, post.id));
      left -= rows.length;
      if (left <= 0) return { timers, leftOut: true };
      if (rows.length < PAGE) break;
      after = rows.at(-1)!;
    }
  }
  return { timers, leftOut: false };
}

/** Setters name the Post or one of its Variants, which differ in the last byte only. */
function isOf({ timerId }: DueTimer, postId: string): boolean {
  return timerId.includes(postId.slice(0, -2));
}

async function factOf(codec: Codec, { timerId, dueAt, shard, topic, payload }: DueTimer, postId: string) {
  const decoded = await codec.decode(payload);
  return {
    name: nameOfTimer(timerId),
    dueAt,
    shard,
    topic,
    variantIds: decoded.ok ? variantsIn(decoded.message, postId) : null,
  };
}

function variantsIn(message: object, postId: string): readonly string[] | null {
  const { variantId, posts } = message as {
    readonly variantId?: string;
    readonly posts?: readonly { readonly postId: string; readonly variants: readonly number[] }[];
  };
  if (variantId !== undefined) return postIdOfVariant(variantId) === postId ? [variantId] : [];
  const own = posts?.find((post) => post.postId === postId);
  return own === undefined ? null : own.variants.map((number) => variantIdOf(postId, number));
}
