import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#testing/until.ts';
import { FACTOR, type AlertWatch, type FiredAlert } from './alert-watch.ts';
import type { FaultName, FaultSeen } from './faults.ts';

/** What is done to an installation, and for how long. */
export interface Fault extends FaultName {
  /** How long it goes on after its alert fires, in which others would. Default: 30 s. */
  readonly staysMs?: number;
  /** By how much times of Prometheus are shortened for it. Default: FACTOR. */
  readonly factor?: number;
  readonly cause: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

const FIRES_WITHIN_MS = 900_000;
/** After the alert has cleared, not shortened: windows of five minutes end, and what they make fire has fired. */
const AFTERMATH_MS = 450_000;
const LOOK_MS = 250;

/** Waits until nothing fires, causes the fault, and removes it again; resolves with all that fired meanwhile. */
export async function watchFault(
  watch: AlertWatch,
  { name, alert, staysMs = 30_000, factor = FACTOR, cause, remove }: Fault,
): Promise<FaultSeen> {
  await until(async () => (await watch.firing()).length === 0, { what: `nothing fires before: ${name}` });
  const begunAt = performance.now();
  const secondsSince = (from: number): number => Math.round((performance.now() - from) / 1_000);
  await cause();
  const fires = async (): Promise<boolean> => (await watch.firing()).some((each) => each === alert);
  await until(fires, { what: `${name}: ${alert} fires`, withinMs: FIRES_WITHIN_MS, everyMs: LOOK_MS }).catch(
    async (error: Error) => {
      const fired = await watch.firedWithin(secondsSince(begunAt));
      throw new Error(`${error.message}; what fired: ${JSON.stringify(fired)}`, { cause: error });
    },
  );
  const firedAfterSeconds = secondsSince(begunAt);
  // There is nothing to wait for: what is looked for is what must not come.
  await sleep(staysMs);
  const removedAt = performance.now();
  await remove();
  await until(async () => !(await fires()), {
    what: `${name}: ${alert} clears`,
    withinMs: FIRES_WITHIN_MS,
    everyMs: LOOK_MS,
  });
  const clearedAfterSeconds = secondsSince(removedAt);
  await sleep(AFTERMATH_MS / factor);
  const seconds = secondsSince(begunAt);
  const fired = await watch.firedWithin(seconds);
  console.log(`${name}: removed after ${secondsSince(begunAt) - secondsSince(removedAt)} s; ${inWords(fired)}`);
  return {
    ...{ name, alert, firedAfterSeconds, clearedAfterSeconds },
    severity: fired.find((each) => each.name === alert)!.severity,
    others: fired.filter((each) => each.name !== alert).map((each) => ({ name: each.name, severity: each.severity })),
    scrapesAnswered: await watch.answeredWithin(seconds),
  };
}

const inWords = (fired: readonly FiredAlert[]): string =>
  fired.map(({ name, from, to }) => `${name} from ${from} to ${to} s`).join(', ');
