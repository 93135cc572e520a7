import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import type { Aftermath, VariantOf } from '../aftermath.ts';

/**
 * How long a Variant was held between two instants. Counted here and not by the rule itself, which may be what is
 * wrong; a hold is taken for longer at both ends by what clocks may differ.
 */
export function heldFor({ world }: Aftermath, { post, variant }: VariantOf, from: number, until: number): number {
  let [held, counted] = [0, from];
  const holds = world.witness.holds
    .filter(({ network }) => network === null || network === variant.network)
    .filter(({ workspaceId }) => workspaceId === null || workspaceId === post.workspaceId)
    .toSorted((one, other) => one.from - other.from);
  for (const hold of holds) {
    const end = Math.min(until, hold.until === null ? until : hold.until + CLOCK_SKEW_MS);
    held += Math.max(0, end - Math.max(hold.from - CLOCK_SKEW_MS, counted));
    counted = Math.max(counted, end);
  }
  return held;
}
