import { COMMAND_LIFE_MS } from '#domain/workspace/command-life.ts';
import type { Post } from '#domain/post/post.ts';
import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import type { OperatorEntry } from '../history.ts';

/** When a Channel was certainly disconnected. */
interface Disconnected {
  readonly workspaceId: string;
  readonly channelId: string;
  readonly how: string;
  readonly from: number;
  readonly until: number;
}

/**
 * What a Disconnect or a Downgrade ended stays ended, also when the Channel is connected again before it would have
 * been due.
 */
export const disconnectedIsEnded: Check = (after) => {
  const disconnects = [...byMembers(after), ...byDowngrades(after)];
  return everyVariant(after).flatMap((each) => {
    const { post, variant } = each;
    if (variant.attempt > 1 || variant.status !== 'published') return [];
    const ended = disconnects.find((disconnect) => ends(after, disconnect, each));
    if (ended === undefined) return [];
    const lateMs = dueAtOf(each) - ended.until;
    const detail = `variant ${variant.id} was published, though a ${ended.how} disconnected its Channel ${lateMs} ms before it was due`;
    return [{ check: 'what a Disconnect ended stays ended', detail, about: [post.id.slice(0, -2)] }];
  });
};

function ends(after: Aftermath, { channelId, from, until }: Disconnected, each: VariantOf): boolean {
  const { world } = after;
  const { post, variant } = each;
  return (
    channelId === variant.channelId &&
    certainlyMadeBy(after, post) < from - CLOCK_SKEW_MS - world.maxOffsetMs &&
    dueAtOf(each) > until + world.witness.mostAheadMs + CLOCK_SKEW_MS
  );
}

/** A command that was sent while the log was away may be carried out much later than it was issued. */
function certainlyMadeBy({ history }: Aftermath, { id, createdAt }: Post): number {
  const answered = history.of('create').find(({ postId, seen }) => postId === id && seen === 'ok');
  return answered?.completedAt ?? createdAt + COMMAND_LIFE_MS;
}

function dueAtOf({ post, variant }: VariantOf): number {
  return Math.max(variant.dueAt, post.createdAt);
}

function byMembers({ history }: Aftermath): readonly Disconnected[] {
  return history.of('operator').flatMap(({ workspaceId, what, seen, channelId, invokedAt, completedAt }) => {
    if (what !== 'disconnect' || seen !== 'ok' || channelId === null) return [];
    return [{ workspaceId, channelId, how: 'Disconnect', from: invokedAt, until: completedAt! }];
  });
}

/**
 * By one to the free Plan at once, which has room for all Channels of a Workspace but the one that was connected last:
 * that one had a Post made for it before, and no other Channel can have been disconnected by then.
 */
function byDowngrades({ history, workspaces }: Aftermath): readonly Disconnected[] {
  const changes = history.of('operator').filter(({ seen }) => seen !== 'refused');
  return changes.flatMap(({ workspaceId, seen, planned, invokedAt, completedAt }) => {
    const { x = '', threads = '' } = workspaces.find(({ id }) => id === workspaceId)?.channels ?? {};
    const isSooner = (other: OperatorEntry): boolean => other.channelId === x && other.invokedAt <= completedAt!;
    if (seen !== 'ok' || planned?.plan !== 'free' || planned.effectiveAt !== null || changes.some(isSooner)) return [];
    return [{ workspaceId, channelId: threads, how: 'Downgrade', from: invokedAt, until: completedAt! }];
  });
}
