import type { Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { PUBLISH_EVIDENCE } from '../declarations/tables.ts';

export interface NewestStepsOptions {
  /** Reads the number of the newest attempt. Called only where there are more steps than are asked for. */
  readonly newestAttempt: () => Promise<number>;
  /** 1..4999. */
  readonly count: number;
}

/** Of what was asked for, so much suffices where there is more. */
const ENOUGH = 0.25;
/** By so much each look for the end of an attempt is further on than the one before. */
const STRIDE = 8;

/**
 * The newest steps of a Variant's attempts, in order of attempt and time, without those before them: the rows are in
 * the order of time, and an upload that is begun again and again makes thousands. There are at most `count`, and a
 * quarter of that at least where there are more. What is read grows with the logarithm of the time that an attempt
 * takes, not with the number of its steps. Rejects with `PortError`.
 */
export async function newestSteps(
  store: TableStore,
  variantId: string,
  { newestAttempt, count }: NewestStepsOptions,
): Promise<readonly Row[]> {
  const all = await store.slice(PUBLISH_EVIDENCE, [variantId], { limit: count + 1 });
  if (all.length <= count) return all;
  let newest: readonly Row[] = [];
  for (let number = await newestAttempt(); number > 0 && newest.length < count; number--) {
    const left = count - newest.length;
    const steps = await stepsFrom(store, variantId, { attempt: number, at: 0, limit: left + 1 });
    if (steps.length > left) return [...(await lastOf(store, variantId, steps, left)), ...newest];
    newest = [...steps, ...newest];
  }
  return newest;
}

function stepsFrom(
  store: TableStore,
  variantId: string,
  { attempt, at, limit }: { readonly attempt: number; readonly at: number; readonly limit: number },
): Promise<readonly Row[]> {
  return store.slice(PUBLISH_EVIDENCE, [variantId], { prefix: [attempt], from: [at], limit });
}

/** Of an attempt with more than `most` steps, which begins with `first`: at most so many, the last ones. */
async function lastOf(
  store: TableStore,
  variantId: string,
  first: readonly Row[],
  most: number,
): Promise<readonly Row[]> {
  const [attempt, begun] = first[0]!.clustering as readonly [number, number];
  const from = (at: number, limit: number) => stepsFrom(store, variantId, { attempt, at, limit });
  // From `many` on there are more than may be shown, from `few` on there are not.
  let many = begun;
  let few = begun + 1;
  for (let ahead = 1; (await from(few, 1)).length > 0; ahead *= STRIDE) few = begun + ahead;
  let last: readonly Row[] = [];
  while (last.length < most * ENOUGH && few - many > 1) {
    const middle = Math.floor((many + few) / 2);
    const steps = await from(middle, most + 1);
    if (steps.length > most) many = middle;
    else [few, last] = [middle, steps];
  }
  // More of them than may be shown were written in one millisecond.
  return last.length > 0 ? last : from(many, most);
}
