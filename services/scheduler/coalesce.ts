import type { Codec } from '#messages/messages.ts';
import type { DuePost } from '#domain/workspace/commands.ts';
import { MAX_STEP_VARIANTS } from '#domain/workspace/step-bounds.ts';
import type { LogRecord } from '#ports/log.ts';

/** A timer's message on its way. */
export interface Firing {
  readonly topic: string;
  readonly key: string;
  readonly payload: Uint8Array;
}

/**
 * Records for what fires together, by topic, in order. VariantsDue of one Workspace become few commands of many
 * Variants, so that a thousand Posts due at one instant cost the Workspace ten turns and not a thousand. What can't be
 * decoded goes on as it is: who receives it decides.
 */
export async function coalesce(
  codec: Codec,
  firings: readonly Firing[],
): Promise<ReadonlyMap<string, readonly LogRecord[]>> {
  const byTopic = new Map<string, LogRecord[]>();
  const open = new Map<string, DuePost[]>();
  const recordsOf = (topic: string): LogRecord[] => {
    const known = byTopic.get(topic) ?? [];
    byTopic.set(topic, known);
    return known;
  };
  const flush = (topic: string, key: string): void => {
    const posts = open.get(`${topic} ${key}`);
    open.delete(`${topic} ${key}`);
    if (posts !== undefined)
      recordsOf(topic).push({ key, value: codec.encode({ type: 'VariantsDue', workspaceId: key, posts }) });
  };
  for (const { topic, key, payload } of firings) {
    const decoded = await codec.decode(payload);
    if (!decoded.ok || decoded.message.type !== 'VariantsDue') {
      // Order within a key is kept: what waits to be joined goes first.
      flush(topic, key);
      recordsOf(topic).push({ key, value: payload });
      continue;
    }
    const posts = open.get(`${topic} ${key}`) ?? [];
    if (countVariants(posts) + countVariants(decoded.message.posts) > MAX_STEP_VARIANTS) flush(topic, key);
    const joined = open.get(`${topic} ${key}`) ?? [];
    joined.push(...decoded.message.posts);
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
