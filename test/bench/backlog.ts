import { dayOf, weekOf } from '#domain/calendar.ts';
import { digestOf } from '#domain/post/digest.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import { newPostId } from '#domain/post/workspace-hash.ts';
import type { Channel } from '#domain/channel/channel.ts';
import type { Post } from '#domain/post/post.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { relayPending } from '#outbox/relay.ts';
import type { Engine } from '#services/crier/engines/engine.ts';
import { compileEffects } from '#services/workspace/compile-effects.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { ONE_BUCKET } from '#tables/buckets.ts';
import { POST_DIGESTS } from '#tables/declarations/tables.ts';
import { periodRow } from '#tables/repositories/post-days.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import type { RowEffect } from '#tables/rows/pending-effects.ts';

export interface Backlog {
  readonly workspaceIds: readonly string[];
  /** Posts of one x Variant each, distributed evenly. */
  readonly posts: number;
  /** Written evenly over [from, until). */
  readonly writtenFrom: number;
  readonly writtenUntil: number;
  /** Due evenly over [from, until), in another order than written. */
  readonly dueFrom: number;
  readonly dueUntil: number;
}

const POSTS_A_TURN = 200;
const TURNS_AT_ONCE = 16;
/**
 * The timestamp is older than that of any turn that the Workspace will make: where both write a key, the Workspace's
 * row wins.
 */
const VERSION = 1;

/**
 * Writes the rows that so many scheduled Posts leave in the tables: the very rows and timers that a Workspace's turn
 * makes of a created Post, by the same code, without the commands. Digests are left out: those of Posts that old have
 * expired.
 */
export async function fillBacklog(engine: Engine, backlog: Backlog): Promise<void> {
  const turns = turnsOf(backlog);
  await writePosts(engine, backlog.workspaceIds, turns, (state, turn) =>
    Array.from({ length: turn.count }, (_, index) => postOf(engine, state, backlog, turn, turn.first + index)),
  );
}

/** The same of any Posts. Timers are set for those that wait. */
export async function writePosts<Turn extends { readonly workspaceId: string }>(
  engine: Engine,
  workspaceIds: readonly string[],
  turns: Iterable<Turn>,
  postsOf: (state: WorkspaceState, turn: Turn) => readonly Post[],
): Promise<void> {
  const parts = { ...engine, due: createDueTimers(engine.store) };
  const states = new Map<string, WorkspaceState>();
  for (const workspaceId of workspaceIds) {
    const head = await readHead(engine.store, workspaceId);
    if (head === null) throw new Error(`there is no workspace ${workspaceId}`);
    states.set(workspaceId, head.state);
  }
  const left = turns[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const turn = next.value;
      const state = states.get(turn.workspaceId)!;
      const posts = postsOf(state, turn);
      const effects = posts.flatMap((post): Effect[] => [{ kind: 'post-created', post }, ...dueTimerOf(post)]);
      const context = {
        state,
        posts: new Map(posts.map((post) => [post.id, post])),
        now: engine.clock.now(),
        format: engine.writtenFormat.now(),
        duplicateWindowMs: 0,
        idempotencyKeyMs: 0,
        mediaUrl: String,
        directory: posts.flatMap(periodRowsOf),
        auditEnds: new Map(),
      };
      const { pending } = compileEffects(effects, context);
      await relayPending(
        parts,
        { ...pending, rows: pending.rows.filter((row) => row.table !== POST_DIGESTS.name) },
        VERSION,
      );
    }
  };
  await Promise.all(Array.from({ length: TURNS_AT_ONCE }, worker));
}

/** As if each period had one bucket: turns are written beside each other, so none knows what another one counts. */
function periodRowsOf({ workspaceId, createdAt, scheduledAt }: Post): readonly RowEffect[] {
  const written = periodRow(workspaceId, { kind: 'written', number: dayOf(createdAt) }, ONE_BUCKET);
  if (scheduledAt === null) return [written];
  return [written, periodRow(workspaceId, { kind: 'due', number: weekOf(scheduledAt) }, ONE_BUCKET)];
}

function dueTimerOf(post: Post): readonly Effect[] {
  if (post.variants[0]?.status !== 'scheduled') return [];
  const due = { postId: post.id, attempt: 1, variants: post.variants.map((_, index) => index + 1) };
  return [{ kind: 'due-timer', timerId: `due/${post.id}/1`, at: post.scheduledAt!, due }];
}

interface Turn {
  readonly workspaceId: string;
  /** The sequence numbers of its Posts in the Workspace. */
  readonly first: number;
  readonly count: number;
  readonly own: number;
}

function* turnsOf({ workspaceIds, posts }: Backlog): Generator<Turn> {
  for (const [place, workspaceId] of workspaceIds.entries()) {
    const own =
      Math.floor((posts * (place + 1)) / workspaceIds.length) - Math.floor((posts * place) / workspaceIds.length);
    for (let first = 0; first < own; first += POSTS_A_TURN)
      yield { workspaceId, first, count: Math.min(POSTS_A_TURN, own - first), own };
  }
}

/** Posts that are written one after the other are not due one after the other. */
const STRIDE = 7_919;

function postOf(engine: Engine, state: WorkspaceState, backlog: Backlog, { own }: Turn, index: number): Post {
  const between = (from: number, until: number, step: number): number =>
    Math.floor(from + ((until - from) * step) / own);
  const createdAt = between(backlog.writtenFrom, backlog.writtenUntil, index);
  const scheduledAt = between(backlog.dueFrom, backlog.dueUntil, (index * STRIDE) % own);
  const channels = Object.values(state.channels).filter(({ network }) => network === 'x');
  const channel = channels[index % channels.length]!;
  const text = `Outstanding ${index}. ${'It is waiting for its time to come. '.repeat(6)}`;
  return writtenPost(engine, state, { createdAt, scheduledAt, text, channels: [channel] });
}

export interface WrittenPost {
  readonly createdAt: number;
  readonly scheduledAt: number;
  readonly text: string;
  readonly channels: readonly Channel[];
  /** Default: it waits. */
  readonly isPublished?: boolean;
}

/** A Post as a turn would have made it, with a Variant for each Channel. */
export function writtenPost(
  engine: Engine,
  state: WorkspaceState,
  { createdAt, scheduledAt, text, channels, isPublished = false }: WrittenPost,
): Post {
  const id = newPostId(engine.ids.uuid7(createdAt), state.id);
  const channelIds = channels.map((channel) => channel.id);
  return {
    id,
    workspaceId: state.id,
    text,
    createdAt,
    scheduledAt,
    via: { kind: 'key', name: 'Key 1', by: 'bench@example.test' },
    media: [],
    channelOptions: {},
    digest: digestOf({ text, channelIds, scheduledAt, media: [], channelOptions: {} }),
    variants: channels.map((channel, index) => ({
      id: variantIdOf(id, index + 1),
      channelId: channel.id,
      network: channel.network,
      placement: 'feed',
      status: isPublished ? 'published' : 'scheduled',
      scheduledAt,
      dueAt: scheduledAt,
      attempt: 1,
      failureReason: null,
      failureDetail: null,
      remoteId: isPublished ? id : null,
      permalink: null,
      mediaReady: true,
      cancelledAt: null,
      cancelledByDisconnect: null,
      creditReserved: !isPublished,
      channelDisconnects: channel.disconnects,
      reconcileFirst: false,
    })),
  };
}
