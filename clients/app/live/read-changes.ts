import { postIdOfVariant } from '#domain/post/ids.ts';
import { outdate, patchAnswer, queryClient, serverKey } from '../server/queries.ts';
import { server } from '../server/server.ts';
import { patchCalendars } from '../pages/calendar/cards/calendar-cache.ts';
import type { ShownCard } from '../pages/calendar/cards/calendar-card.ts';
import type { ChangeBatch } from './change-batches.ts';
import { patchFailures } from './patch-failures.ts';

const FAILURES = serverKey((from) => from.posts.failures);

/** Reads again what changed, as far as a page has read it. Never rejects: what failed is read when it is next shown. */
export async function readChanges(workspaceId: string, { postIds, channels, all }: ChangeBatch): Promise<void> {
  // A Plan names the Channels that it has no room for.
  const ofChannels = channels ? [serverKey((from) => from.channels.list), serverKey((from) => from.plan.get)] : [];
  for (const queryKey of ofChannels) void outdate({ queryKey });
  if (all) {
    const below = [serverKey((from) => from.posts), serverKey((from) => from.variants)];
    await Promise.all(below.map((queryKey) => outdate({ queryKey })));
    return;
  }
  if (postIds.length === 0) return;
  const changed = new Set(postIds);
  void outdate({ predicate: ({ queryKey }) => namesOneOf(queryKey.at(-1), changed) });
  try {
    const cards = await server.posts.cards.query({ workspaceId, postIds: [...changed] });
    // Waited for: changes that come while weeks are read are collected, and do not begin the reading anew each time.
    await Promise.all([patchCalendars(workspaceId, changed, cards), patchReadFailures(workspaceId, changed, cards)]);
  } catch {
    const below = [serverKey((from) => from.posts.calendar), FAILURES];
    await Promise.all(below.map((queryKey) => outdate({ queryKey })));
  }
}

async function patchReadFailures(
  workspaceId: string,
  changed: ReadonlySet<string>,
  cards: readonly ShownCard[],
): Promise<void> {
  const reads: Promise<void>[] = [];
  for (const { queryKey, state } of queryClient.getQueryCache().findAll({ queryKey: FAILURES })) {
    const input = queryKey.at(-1) as { readonly workspaceId: string; readonly from: string; readonly to: string };
    if (input.workspaceId !== workspaceId) continue;
    // What is being read right now may be older than the change.
    if (state.fetchStatus !== 'idle') reads.push(outdate({ queryKey, exact: true }));
    else
      patchAnswer<Parameters<typeof patchFailures>[0]>(queryKey, (failures) =>
        patchFailures(failures, { ...input, changed, cards }),
      );
  }
  await Promise.all(reads);
}

function namesOneOf(input: unknown, postIds: ReadonlySet<string>): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const { postId, variantId } = input as { readonly postId?: unknown; readonly variantId?: unknown };
  if (typeof postId === 'string') return postIds.has(postId);
  return typeof variantId === 'string' && postIds.has(postIdOfVariant(variantId));
}
