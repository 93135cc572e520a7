import type { IrreversibleCall, ReconcileAnswer } from '#networks/contract/adapter.ts';
import { neverKnown, published } from '#networks/contract/answers.ts';
import type { FoundItem, Sought } from '#networks/contract/adapter.ts';
import { NETWORK_CLOCK_SKEW_MS } from '#networks/contract/waits.ts';
import type { ItemKey, LiveItems } from '#tables/repositories/live-items.ts';
import type { AttemptJob, RestoredReading } from './attempt.ts';

/** An item that another worker claims at this moment belongs to it, or to nobody, a moment later. */
const CLAIMED_MEANWHILE_MS = 1_000;
/**
 * What a list shows only later than this ends as unconfirmed instead of being waited for, as the Variant would miss its
 * window meanwhile: tiktok lists a video after hours. A Member's retry after that asks again.
 */
const MAX_WAIT_MS = 30 * 60_000;

export interface SearchOptions {
  readonly liveItems: LiveItems;
  readonly token: () => string;
  readonly now: number;
}

/**
 * Asks a Network whether another installation published what the job is at. An item counts once: what belongs to
 * another Variant is none, and where several are left, nobody can tell. What was found is claimed before it is
 * reported. Rejects with `PortError`.
 */
export async function search<Content>(
  adapter: IrreversibleCall<Content>,
  content: Content,
  about: { readonly job: AttemptJob; readonly restored: RestoredReading; readonly sought: Sought },
  options: SearchOptions,
): Promise<ReconcileAnswer> {
  const { job, restored, sought } = about;
  if (adapter.search === undefined)
    return neverKnown({ status: 0, detail: `${adapter.network} has no list of what the account published` });
  const answer = await adapter.search(content, sought);
  if (answer.kind !== 'searched') return answer;
  const { summary } = answer;
  const free: FoundItem[] = [];
  for (const item of answer.items) if (await isFree(item, about, options)) free.push(item);
  const [item, ...others] = free;
  if (others.length > 0)
    return neverKnown({ ...summary, detail: 'several things that the account published say this' });
  if (item !== undefined) {
    const isOurs = await options.liveItems.claim(keyOf(item, job), job.ledgerId, options.token());
    if (!isOurs) return { kind: 'unknown', delayMs: CLAIMED_MEANWHILE_MS, summary };
    return published(item.remoteId, item.permalink, { ...summary, detail: `found in the list as ${item.remoteId}` });
  }
  if (!answer.isProof) return neverKnown(summary);
  const leftMs = restored.until + answer.listedAfterMs - options.now;
  if (leftMs > MAX_WAIT_MS)
    return neverKnown({ ...summary, detail: `not in the list, in which ${adapter.network} may show it hours later` });
  return leftMs > 0 ? { kind: 'unknown', delayMs: leftMs, summary } : { kind: 'absent', summary };
}

async function isFree(
  item: FoundItem,
  { job, restored }: { readonly job: AttemptJob; readonly restored: RestoredReading },
  { liveItems }: SearchOptions,
): Promise<boolean> {
  const { publishedAt } = item;
  // This installation made it.
  if (publishedAt !== null && publishedAt > restored.until + NETWORK_CLOCK_SKEW_MS) return false;
  const key = keyOf(item, job);
  const owner = await liveItems.ownerOf(key);
  if (owner !== null) return owner === job.ledgerId;
  // Between these instants only the other installation published, and no row here names what it did.
  const { backupAt, until } = restored;
  const at = publishedAt ?? until;
  if (at > backupAt + NETWORK_CLOCK_SKEW_MS && at < until - NETWORK_CLOCK_SKEW_MS) return true;
  return !(await liveItems.isNamed(key, { workspaceId: job.workspaceId, at, but: job.variantId }));
}

function keyOf({ remoteId }: FoundItem, { network, accountId }: AttemptJob): ItemKey {
  return { network, accountId, remoteId };
}
