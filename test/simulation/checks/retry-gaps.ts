import type { DeliveryAttempt } from '#domain/webhook/delivery.ts';

/** What the guide for developers says, written down here once more: the rule itself may be what is wrong. */
const FIRST_GAP_MS = 30_000;
const LONGEST_GAP_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** From the start of a failed attempt to that of the next. */
export function gapAfter({ attempt, retryAfterMs }: Pick<DeliveryAttempt, 'attempt' | 'retryAfterMs'>): number {
  let gapMs = FIRST_GAP_MS;
  for (let number = 1; number < attempt && gapMs < LONGEST_GAP_MS; number++) gapMs *= 2;
  return Math.min(LONGEST_GAP_MS, Math.max(gapMs, retryAfterMs ?? 0));
}

/** Of one round, failed all: whether no further one has room in the day that the first one began. */
export function isLastAttempt(attempts: readonly DeliveryAttempt[]): boolean {
  const number = Math.max(...attempts.map(({ attempt }) => attempt));
  const last = first(attempts.filter(({ attempt }) => attempt === number));
  return last.startedAt + gapAfter(last) > first(attempts).startedAt + DAY_MS;
}

/** Two owners may have made one attempt side by side: the one that began first counts. */
export function first(attempts: readonly DeliveryAttempt[]): DeliveryAttempt {
  return attempts.reduce((found, each) => (each.startedAt < found.startedAt ? each : found));
}
