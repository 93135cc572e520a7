import type { Config } from '#config/config.ts';
import { lookAtCluster } from '#services/crier/cluster-backup/back-up-cluster.ts';
import { expect } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

const PATIENCE_MS = 90_000;
/** All but those that are stopped first: `crier backup` prints it as a step. */
const ROLES_THAT_FINISH = ['workspace', 'publisher', 'media', 'webhooks', 'admin'];
const isAboutProcesses = (trouble: string): boolean => trouble.startsWith('processes:');

export interface ClusterToStop {
  /** The one process of a cluster on which publishing is held. */
  readonly cluster: CrierUnderTest;
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
}

/**
 * Stops a cluster by the steps that `crier backup` prints, so that its tables alone are the whole truth: first ingress,
 * app and scheduler, then, once nothing is unfinished, what reads the rest of the log.
 */
export async function stopWhole({ cluster, env, config }: ClusterToStop): Promise<void> {
  const troubles = async (): Promise<readonly string[]> =>
    (await lookAtCluster(config)).findings.flatMap(({ check, ok, detail }) => (ok ? [] : [`${check}: ${detail}`]));
  const none = async (which: (trouble: string) => boolean): Promise<true> => {
    const found = (await troubles()).filter(which);
    // What was found is in the error of a wait that ends.
    if (found.length > 0) throw new Error(found.join('\n'));
    return true;
  };
  await cluster.stop();
  await using rest = await CrierUnderTest.start({
    ...{ name: 'rest', engine: 'cluster' as const, roles: ROLES_THAT_FINISH, dataDir: cluster.dataDir },
    env,
  });
  const isFinished = () => none((trouble) => !isAboutProcesses(trouble));
  await until(isFinished, { what: 'nothing is unfinished', withinMs: PATIENCE_MS, everyMs: 500 });
  await rest.stop();
  await until(() => none(isAboutProcesses), { what: 'nothing runs', withinMs: PATIENCE_MS, everyMs: 500 });
  expect(await troubles()).toEqual([]);
}
