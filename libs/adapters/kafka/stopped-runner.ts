import { createRequire } from 'node:module';

interface Runner {
  readonly running: boolean;
  readonly fetchManager: { stop(): Promise<void> };
  fetch(nodeId: string): Promise<readonly object[]>;
}

let isReplaced = false;

/**
 * A consumer of kafkajs 2.2.4 that is stopped just as its brokers changed makes fetchers for the new ones after it
 * stopped the old ones. These ask a runner that does not run any more, which answers with nothing at once, again and
 * again without end: no timer fires and no request is answered in this process any more. This has the runner that does
 * not run stop the fetchers that ask it. Idempotent; must run before the first consumer.
 */
export function endStoppedFetchers(): void {
  if (isReplaced) return;
  isReplaced = true;
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/runner') as { readonly prototype: Runner };
  const { fetch } = prototype;
  prototype.fetch = async function fetchWhileRunning(this: Runner, nodeId: string): Promise<readonly object[]> {
    if (this.running) return fetch.call(this, nodeId);
    // It ends when the fetchers have ended, the one that asks among them.
    void this.fetchManager.stop();
    return [];
  };
}
