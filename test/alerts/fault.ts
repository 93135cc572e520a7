import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#testing/until.ts';
import type { FiredAlert, Prometheus } from './prometheus.ts';

/** What is done to an installation, and what it is to be told by. */
export interface Fault {
  readonly name: string;
  readonly alert: string;
  /** How long it goes on after its alert fires, in which others would. Default: 30 s. */
  readonly staysMs?: number;
  readonly cause: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** A row of the table in docs/alerts.md. */
export interface FaultSeen {
  readonly fault: string;
  readonly alert: string;
  readonly severity: string;
  readonly firedAfterSeconds: number;
  readonly others: readonly FiredAlert[];
  readonly clearedAfterSeconds: number;
  /** Where processes that run do not answer, the machine is too busy, and alerts tell of that. */
  readonly scrapesAnswered: number;
}

const FIRES_WITHIN_MS = 900_000;
/** After the alert has cleared: windows of five minutes, shortened, end, and what they would make fire has fired. */
const AFTERMATH_MS = 45_000;
const LOOK_MS = 250;

/** Waits until nothing fires, causes the fault, and removes it again; resolves with all that fired meanwhile. */
export async function watchFault(
  prometheus: Prometheus,
  { name, alert, staysMs = 30_000, cause, remove }: Fault,
): Promise<FaultSeen> {
  await until(async () => (await prometheus.firing()).length === 0, { what: `nothing fires before: ${name}` });
  const begunAt = performance.now();
  const secondsSince = (from: number): number => Math.round((performance.now() - from) / 1_000);
  await cause();
  const fires = async (): Promise<boolean> => (await prometheus.firing()).some((each) => each.name === alert);
  await until(fires, { what: `${name}: ${alert} fires`, withinMs: FIRES_WITHIN_MS, everyMs: LOOK_MS }).catch(
    async (error: Error) => {
      const fired = await prometheus.firedWithin(secondsSince(begunAt));
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
  await sleep(AFTERMATH_MS);
  const fired = await prometheus.firedWithin(secondsSince(begunAt));
  return {
    ...{ fault: name, alert, firedAfterSeconds, clearedAfterSeconds },
    severity: fired.find((each) => each.name === alert)!.severity,
    others: fired.filter((each) => each.name !== alert),
    scrapesAnswered: await prometheus.answeredWithin(secondsSince(begunAt)),
  };
}

export function tableOf(rows: readonly FaultSeen[]): string {
  const inWords = (others: readonly FiredAlert[]): string =>
    others.length === 0 ? 'none' : others.map((each) => `${each.name} (${each.severity})`).join(', ');
  return [
    '| Fault | Alert | Severity | Fires after, s | Other alerts | Clears after, s | Scrapes answered |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.fault} | ${row.alert} | ${row.severity} | ${row.firedAfterSeconds} | ${inWords(row.others)} | ${row.clearedAfterSeconds} | ${Math.round(100 * row.scrapesAnswered)} % |`,
    ),
  ].join('\n');
}
