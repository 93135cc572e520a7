import type { LiveChange } from '#services/app/live/live-change.ts';
import { lookWhetherSignedOut } from '../server/queries.ts';
import { server } from '../server/server.ts';
import { followChanges } from './follow-changes.ts';
import type { SubscribeToChanges } from './live-changes.ts';

type Told = { readonly kind: 'started' } | { readonly kind: 'change'; readonly change: LiveChange };

/**
 * Server-sent events of a Workspace. A browser opens six connections to one address, and a person more tabs than that:
 * so one tab has the connection and tells the others. It is the one that holds a lock, which the browser hands to
 * another tab when it is closed. Without locks, which browsers keep from pages without TLS, each tab has its own.
 */
export const subscribeToChanges: SubscribeToChanges = (workspaceId, listener) => {
  const ended = new AbortController();
  const name = `crier changes ${workspaceId}`;
  const others = new BroadcastChannel(name);
  const hear = (told: Told): void => (told.kind === 'started' ? listener.onStarted() : listener.onData(told.change));
  others.onmessage = ({ data }: MessageEvent<Told>) => hear(data);
  const tell = (told: Told): void => {
    if (ended.signal.aborted) return;
    others.postMessage(told);
    hear(told);
  };
  const lead = (): Promise<void> =>
    followChanges({
      connect: (heard) => server.events.subscribe({ workspaceId }, heard),
      onStarted: () => tell({ kind: 'started' }),
      onData: (change) => tell({ kind: 'change', change }),
      onSignedOut: lookWhetherSignedOut,
      ended: ended.signal,
    });
  void (async () => {
    const { locks } = navigator as { readonly locks?: LockManager };
    if (locks === undefined) return lead();
    const isLeading = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await lead();
      return lock !== null;
    });
    if (isLeading) return;
    // Another tab is connected: from here on this one hears what it hears.
    if (!ended.signal.aborted) listener.onStarted();
    await locks.request(name, { signal: ended.signal }, lead);
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return {
    unsubscribe: () => {
      ended.abort();
      others.close();
    },
  };
};
