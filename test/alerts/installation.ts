import { CrierUnderTest, type CrierOptions } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { until } from '#testing/until.ts';
import { NO_LIMITS } from '../guarantees/sandbox-limits.ts';
import { watchFault, type Fault } from './fault.ts';
import type { FaultSeen } from './faults.ts';
import { AlertWatch } from './alert-watch.ts';
import { startTraffic } from './traffic.ts';

/** Settings of every installation whose alerts are watched. */
export const WATCHED_SETTINGS = {
  CRIER_CANARY: 'on',
  CRIER_CANARY_EVERY_SECONDS: '15',
  CRIER_EARLIEST_SCHEDULE_SECONDS: '0',
  CRIER_NETWORK_BUDGETS: 'off',
  CRIER_REQUESTS_PER_MINUTE: '0',
  CRIER_LOG_LEVEL: 'warn',
} as const;

/** A fault of an installation that is one process. */
export interface EmbeddedFault extends Pick<CrierOptions, 'dataDir' | 'logDir'> {
  /** Settings beside those of every installation; the fault may change them between two starts. */
  readonly env?: Record<string, string>;
  /** Called once the process has a Workspace and traffic. */
  readonly of: (crier: CrierUnderTest, workspace: TestWorkspace) => Fault | Promise<Fault>;
}

const STARTS_WITHIN_MS = 180_000;
/** Enough for the canary's first Post to come through. */
const SETTLES_WITHIN_MS = 240_000;

/** Starts an installation of its own with a Prometheus, and watches one fault of it. */
export async function watchEmbedded({ env = {}, of, ...where }: EmbeddedFault): Promise<FaultSeen> {
  Object.assign(env, WATCHED_SETTINGS);
  await using crier = await CrierUnderTest.make({ ...where, env });
  await crier.start(STARTS_WITHIN_MS);
  for (const network of ['x', 'threads'] as const) await crier.sandbox().limits(network, NO_LIMITS[network]);
  const workspace = await foundWorkspace(crier, 'a client', { credits: 100_000 });
  await using watch = await AlertWatch.start([{ pod: 'crier-0', adminPort: crier.ports.admin }]);
  await using _traffic = startTraffic(() => crier.api(workspace.apiKey), Object.values(workspace.channels));
  await settled(crier, watch, 1);
  return await watchFault(watch, await of(crier, workspace));
}

/** Prometheus reaches all processes, and the canary's Posts come through. */
export async function settled(canary: CrierUnderTest, watch: AlertWatch, processes: number): Promise<void> {
  const isTold = async (): Promise<boolean> => {
    const { body } = await canary.admin().get('/metrics');
    return /^crier_canary_stage_seconds_count\{stage="told"\} [1-9]/m.test(body as string);
  };
  await until(async () => (await watch.up()) === processes && (await isTold()), {
    what: 'all processes are scraped, and a Post of the canary has come through',
    withinMs: SETTLES_WITHIN_MS,
    everyMs: 500,
  });
}
