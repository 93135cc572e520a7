import { everyVariant, type Aftermath, type VariantOf } from '../aftermath.ts';
import type { NetworkCall } from '../witness.ts';
import { callsOf } from './failures-have-causes.ts';

/** Every Variant with the calls of adapters about it, in order; without those that say what another one says. */
export function everyVariantsOwnCalls(
  after: Aftermath,
): readonly (VariantOf & { readonly calls: readonly NetworkCall[] })[] {
  const variants = everyVariant(after);
  const alike = Map.groupBy(variants, ({ post, variant }) => JSON.stringify([post.text, variant.network]));
  // Two Posts that say the same share their calls.
  const alone = [...alike.values()].flatMap((same) => (same.length === 1 ? same : []));
  return alone.map((each) => ({ ...each, calls: callsOf(after, each).toSorted((one, other) => one.at - other.at) }));
}
