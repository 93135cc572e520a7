import { listParkedKeys, writeParkedKey } from '#tables/repositories/parking.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { PARTITIONS, type World } from './world.ts';

/**
 * What an operator does after the faults: retries keys that were parked because their owners crashed. Processes of a
 * simulation crash at their own calls, up to one in 67, so that some crash three times at the same record. A key that
 * was parked for another cause stays. Resolves with the keys that are parked for that cause now, retried ones among
 * them: what their Workspaces still owe is visible nowhere else.
 */
export async function retryParked({ truth, witness }: World): Promise<number> {
  let parked = 0;
  for (const { name } of TOPICS) {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      for (const { version, ...flag } of await listParkedKeys(truth, name, partition)) {
        if (flag.cause !== 'vanished_owners') continue;
        parked++;
        if (flag.wish !== 'none') continue;
        await writeParkedKey(truth, flag, { version, flag: { ...flag, wish: 'retry' }, token: `operator ${version}` });
        witness.count('operator retries a key');
      }
    }
  }
  return parked;
}
