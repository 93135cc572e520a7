import type { Network } from '#domain/network.ts';

/** A day's busiest instant, and what the installation has for it. */
export interface Peak {
  readonly variantsADay: number;
  /** Share of them that is due at one instant, such as 09:00:00. */
  readonly shareAtOnce: number;
  /** All others are due evenly over so many hours around it. */
  readonly busyHours: number;
  readonly handOversASecond: number;
  /** Which share each Network has, and how many attempts at it may be under way at once. */
  readonly networks: Readonly<Partial<Record<Network, { readonly share: number; readonly places: number }>>>;
  /** The average of an attempt; they are distributed exponentially, so that some take many times as long. */
  readonly attemptSeconds: number;
}

export interface PeakOutcome {
  /** From the instant to the beginning of the last attempt that was due at it. */
  readonly lastBegunSeconds: number;
  /** Of all Variants of the day, those that begin more than a minute late. */
  readonly lateShare: number;
  /** From the instant to the first one after it that begins within a minute again. */
  readonly lateForSeconds: number;
}

const LATE_SECONDS = 60;

/**
 * Lets a peak pass: all that is due waits in order for its owner to hand it over, then for a place at its Network,
 * which it keeps while the attempt lasts. A Channel has one Variant in it, so none waits for its predecessor.
 */
export function simulatePeak(peak: Peak, random: () => number): PeakOutcome {
  const atOnce = Math.round(peak.variantsADay * peak.shareAtOnce);
  const perSecond = (peak.variantsADay - atOnce) / (peak.busyHours * 3_600);
  const queues = Object.values(peak.networks).map(({ share, places }) => ({ share, free: new EarliestPlaces(places) }));
  let handedOverAt = 0;
  let [late, lastBegun, lateFor] = [0, 0, 0];
  for (let index = 0; ; index++) {
    const dueAt = index < atOnce ? 0 : (index - atOnce + 1) / perSecond;
    handedOverAt = Math.max(handedOverAt, dueAt) + 1 / peak.handOversASecond;
    const { free } = chosen(queues, random());
    const begunAt = free.take(handedOverAt, () => -Math.log(1 - random()) * peak.attemptSeconds);
    if (index < atOnce) lastBegun = Math.max(lastBegun, begunAt);
    if (begunAt - dueAt > LATE_SECONDS) {
      late += 1;
      lateFor = dueAt;
    }
    // By then what was due at the instant has begun, and what came after it has been in time for minutes.
    if (dueAt > Math.max(lastBegun, lateFor) + 5 * LATE_SECONDS || dueAt > peak.busyHours * 1_800) break;
  }
  return { lastBegunSeconds: lastBegun, lateShare: late / peak.variantsADay, lateForSeconds: lateFor };
}

function chosen<T extends { readonly share: number }>(queues: readonly T[], point: number): T {
  let left = point;
  return queues.find(({ share }) => (left -= share) < 0) ?? queues.at(-1)!;
}

/** Places that become free at known instants; the next attempt takes the one that is free first. A binary heap. */
class EarliestPlaces {
  readonly #freeAt: Float64Array;

  constructor(places: number) {
    this.#freeAt = new Float64Array(places);
  }

  /** When an attempt that is ready at `readyAt` begins. */
  take(readyAt: number, lasts: () => number): number {
    const heap = this.#freeAt;
    const begunAt = Math.max(readyAt, heap[0]!);
    const freeAt = begunAt + lasts();
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child += 1;
      if (heap[child]! >= freeAt) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = freeAt;
    return begunAt;
  }
}
