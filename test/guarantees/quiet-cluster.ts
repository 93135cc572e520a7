import type { Config } from '#config/config.ts';
import { lookAtCluster } from '#services/crier/cluster-backup/back-up-cluster.ts';
import { expect } from 'vitest';
import { LOOK_AHEAD_MS } from '#outbox/timers.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

const PATIENCE_MS = 90_000;
/** The record of a timer that is near is finished when the timer fires. */
const TIMERS_PATIENCE_MS = LOOK_AHEAD_MS + PATIENCE_MS;
const isAboutProcesses = (trouble: string): boolean => trouble.startsWith('processes:');

/** Ends the one process of a cluster on which publishing is held, so that its tables alone are the whole truth. */
export async function stopWhole(cluster: CrierUnderTest, config: Config): Promise<void> {
  const troubles = async (): Promise<readonly string[]> =>
    (await lookAtCluster(config)).findings.flatMap(({ check, ok, detail }) => (ok ? [] : [`${check}: ${detail}`]));
  const none = async (which: (trouble: string) => boolean): Promise<true> => {
    const found = (await troubles()).filter(which);
    // What was found is in the error of a wait that ends.
    if (found.length > 0) throw new Error(found.join('\n'));
    return true;
  };
  let left: readonly string[] = [];
  for (let tries = 0; tries < 3; tries++) {
    const isFinished = () => none((trouble) => !isAboutProcesses(trouble));
    await until(isFinished, { what: 'all records are finished', withinMs: TIMERS_PATIENCE_MS, everyMs: 500 });
    await cluster.stop();
    await until(() => none(isAboutProcesses), { what: 'nothing runs', withinMs: PATIENCE_MS, everyMs: 500 });
    left = await troubles();
    // A timer that fired while the process ended may have left a record behind: then the roles have to run on.
    if (left.length === 0) break;
    await cluster.start(120_000);
  }
  expect(left).toEqual([]);
}
