import { createRequire } from 'node:module';

interface RequestQueue {
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly pending: readonly unknown[];
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

const CHECK_AGAIN_MS = 10;

/**
 * kafkajs 2.2.4 re-arms a timer with a negative delay without end on every connection, even an idle one: about 900
 * wake-ups a second each, and Node's TimeoutNegativeWarning. This replaces that method by one that arms a timer only
 * while requests wait; `push` calls it for the first request. Idempotent; must run before the first connection.
 */
export function quietTimers(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    readonly prototype: RequestQueue;
  };
  prototype.scheduleCheckPendingRequests = function schedule(this: RequestQueue): void {
    if (this.throttleCheckTimeoutId || this.pending.length === 0) return;
    const throttledMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledMs > 0 ? throttledMs : CHECK_AGAIN_MS,
    );
  };
}
