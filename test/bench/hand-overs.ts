import type { Engine } from '#services/crier/engine.ts';
import { PUBLISH } from '#tables/topics.ts';

const GIVE_UP_MS = 60_000;

/** When each of the Variants was handed to the publishers of x: when the log took its job, by the log's own stamp. */
export async function readHandOvers(engine: Engine, variantIds: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  const decoding: Promise<void>[] = [];
  const subscription = await engine.log.subscribe({
    group: `bench-${engine.ids.token(6)}`,
    topics: [PUBLISH.x.name],
    onRecords: (_source, records) => {
      const take = async (): Promise<void> => {
        for (const record of records) {
          const decoded = await engine.codec.decode(record.value);
          if (!decoded.ok || decoded.message.type !== 'PublishVariant' || decoded.message.why !== 'due') continue;
          const { variantId } = decoded.message;
          if (variantIds.has(variantId) && !found.has(variantId)) found.set(variantId, record.timestamp);
        }
        if (found.size === variantIds.size) resolve();
      };
      decoding.push(take());
    },
  });
  const ending = new AbortController();
  await Promise.race([complete, engine.clock.sleep(GIVE_UP_MS, ending.signal)]);
  ending.abort();
  await subscription.close();
  await Promise.all(decoding);
  if (found.size < variantIds.size) throw new Error(`the log holds jobs for ${found.size} of ${variantIds.size} Variants`);
  return found;
}
