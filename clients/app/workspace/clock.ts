import { useSyncExternalStore } from 'react';

const STEP_MS = 15_000;
const TOLERANCE_MS = 2_000;

/** How far the server's clock is ahead of this browser's: the sandbox lets hours pass at once. */
let aheadMs = 0;
let shown = Date.now();
const listeners = new Set<() => void>();

/** Now, by the server's clock; Unix ms. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}

/** Tells the time `at` that the server said when this browser's clock was at `heardAt`; Unix ms. */
export function noteServerTime(at: number, heardAt: number): void {
  // What lies between is the way of the answer, unless the clocks differ.
  aheadMs = Math.abs(at - heardAt) < TOLERANCE_MS ? 0 : at - heardAt;
  tick();
}

/** Now, by the server's clock, to 15 s; what shows it is drawn anew when it moves. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => shown);
}

function tick(): void {
  shown = serverNow();
  for (const listener of listeners) listener();
}

let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}
