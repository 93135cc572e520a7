import { everyVariant, type Aftermath } from './aftermath.ts';
import type { History } from './history.ts';
import type { World } from './world.ts';

export interface Summary {
  readonly posts: number;
  /** Variants by status, failed ones by reason. */
  readonly variants: Readonly<Record<string, number>>;
  /** What callers saw, by kind of call. */
  readonly seen: Readonly<Record<string, number>>;
  readonly events: Readonly<Record<string, number>>;
  /** Attempts that ended `unconfirmed`, by Network. */
  readonly unconfirmed: Readonly<Record<string, number>>;
  readonly live: number;
}

export function summarise(after: Aftermath): Summary {
  const variants = everyVariant(after);
  const networks = new Map(variants.map(({ variant }) => [variant.id, variant.network]));
  const unconfirmed = new Map<string, string>();
  for (const { message } of after.events) {
    if (message.type === 'VariantFailed' && message.body.includes('"unconfirmed"'))
      unconfirmed.set(message.eventId, networks.get(message.variantId) ?? 'none');
  }
  return {
    posts: new Set(variants.map(({ post }) => post.id)).size,
    variants: countBy(
      variants.map(({ variant }) => (variant.status === 'failed' ? `failed ${variant.failureReason}` : variant.status)),
    ),
    ...whatHappened(after.world, after.history),
    unconfirmed: countBy([...unconfirmed.values()]),
    live: after.items.length,
  };
}

/** Of a world that did not come to its end: what became of its Posts is not known. */
export function summariseUnended(world: World, history: History): Summary {
  return { ...whatHappened(world, history), posts: 0, variants: {}, unconfirmed: {}, live: 0 };
}

function whatHappened(world: World, history: History): Pick<Summary, 'seen' | 'events'> {
  return {
    seen: countBy(history.entries.map(({ kind, seen, code }) => `${kind} ${seen}${code === '' ? '' : ` ${code}`}`)),
    events: Object.fromEntries([...world.witness.counts].toSorted()),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

export function addCounts(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}
