import { send } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';

const MINUTE_MS = 60_000;

interface Admission {
  readonly sentAt: number;
  readonly answeredAt: number;
}

export interface Hammering {
  /** Requests that were admitted, by ingress. */
  readonly admitted: readonly number[];
  readonly refused: number;
  /** The most that were certainly admitted within one rolling minute: sent and answered inside it. */
  readonly mostInAMinute: number;
}

/** Sends requests with one key to all of these ingresses, evenly and well beyond its limit, for so long. */
export async function hammer(ingresses: readonly CrierUnderTest[], apiKey: string, forMs: number): Promise<Hammering> {
  const admissions: Admission[][] = ingresses.map(() => []);
  let refused = 0;
  const from = performance.now();
  const client = async (index: number): Promise<void> => {
    while (performance.now() - from < forMs) {
      const sentAt = performance.now();
      const status = await send('GET', `${ingresses[index]!.ready.baseUrl}/api/channels`, undefined, {
        headers: { authorization: `Bearer ${apiKey}` },
      }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) admissions[index]!.push({ sentAt, answeredAt: performance.now() });
      if (status === 429) refused++;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  };
  await Promise.all(ingresses.flatMap((_, index) => [client(index), client(index)]));
  return { admitted: admissions.map((list) => list.length), refused, mostInAMinute: mostInAMinute(admissions.flat()) };
}

function mostInAMinute(admissions: readonly Admission[]): number {
  return Math.max(
    0,
    ...admissions.map(
      ({ sentAt }) =>
        admissions.filter((other) => other.sentAt >= sentAt && other.answeredAt <= sentAt + MINUTE_MS).length,
    ),
  );
}
