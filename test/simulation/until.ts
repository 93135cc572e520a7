import { MAX_SETTLE_MS } from './settle.ts';
import type { World } from './world.ts';

/** Runs until `work` is done. */
export async function until<T>(world: World, work: Promise<T>): Promise<T> {
  let ended = false;
  let failure: unknown = null;
  const watched = work.then(
    (value) => ((ended = true), value),
    (error: unknown) => {
      ended = true;
      failure = error;
      return undefined as never;
    },
  );
  await world.engine.run(world.engine.now + MAX_SETTLE_MS, () => ended);
  if (!ended) throw new Error('work that should have ended did not');
  if (failure !== null) throw failure;
  return watched;
}
