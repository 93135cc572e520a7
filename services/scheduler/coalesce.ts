import type { Codec, Message } from '#messages/messages.ts';
import type { DuePost } from '#domain/workspace/commands.ts';
import { MAX_STEP_VARIANTS } from '#domain/workspace/step-bounds.ts';
import type { LogRecord } from '#ports/log.ts';

/** A timer's message on its way. */
export interface Firing {
  readonly topic: string;
  readonly key: string;
  readonly payload: Uint8Array;
  /** The trace in which it was set; left out where traces are off or it has none. */
  readonly trace?: string | undefined;
}

/** A record of what fires together. */
export interface FiredRecord extends LogRecord {
  /** The traces in which its timers were set, each once. */
  readonly traces: readonly string[];
}

const NO_TRACES: readonly string[] = [];

/**
 * Records for what fires together, by topic, in order. VariantsDue of one Workspace become few commands of many
 * Variants, so that a thousand Posts due at one instant cost the Workspace ten turns and not a thousand. What can't be
 * decoded goes on as it is: who receives it decides. `onRead`: called with every message that could be decoded.
 */
export async function coalesce(
  codec: Codec,
  firings: readonly Firing[],
  onRead: (message: Message) => void = () => {},
): Promise<ReadonlyMap<string, readonly FiredRecord[]>> {
  const byTopic = new Map<string, FiredRecord[]>();
  const open = new Map<string, { readonly posts: DuePost[]; readonly traces: Set<string> }>();
  const recordsOf = (topic: string): FiredRecord[] => {
    const known = byTopic.get(topic) ?? [];
    byTopic.set(topic, known);
    return known;
  };
  const flush = (topic: string, key: string): void => {
    const joined = open.get(`${topic} ${key}`);
    open.delete(`${topic} ${key}`);
    if (joined === undefined) return;
    const value = codec.encode({ type: 'VariantsDue', workspaceId: key, posts: joined.posts });
    recordsOf(topic).push({ key, value, traces: joined.traces.size === 0 ? NO_TRACES : [...joined.traces] });
  };
  for (const { topic, key, payload, trace } of firings) {
    const decoded = await codec.decode(payload);
    if (decoded.ok) onRead(decoded.message);
    if (!decoded.ok || decoded.message.type !== 'VariantsDue') {
      // Order within a key is kept: what waits to be joined goes first.
      flush(topic, key);
      recordsOf(topic).push({ key, value: payload, traces: trace === undefined ? NO_TRACES : [trace] });
      continue;
    }
    const posts = open.get(`${topic} ${key}`)?.posts ?? [];
    if (countVariants(posts) + countVariants(decoded.message.posts) > MAX_STEP_VARIANTS) flush(topic, key);
    const joined = open.get(`${topic} ${key}`) ?? { posts: [], traces: new Set<string>() };
    joined.posts.push(...decoded.message.posts);
    if (trace !== undefined) joined.traces.add(trace);
    open.set(`${topic} ${key}`, joined);
  }
  for (const name of [...open.keys()]) {
    const [topic, key] = name.split(' ') as [string, string];
    flush(topic, key);
  }
  return byTopic;
}

function countVariants(posts: readonly DuePost[]): number {
  return posts.reduce((sum, post) => sum + post.variants.length, 0);
}
