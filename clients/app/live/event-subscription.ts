import type { LiveChange } from '#services/app/live/live-change.ts';
import { isSignedOut } from '../server/problem.ts';
import { server } from '../server/server.ts';
import type { LiveChangeListener, SubscribeToChanges } from './live-changes.ts';

type Told = { readonly kind: 'started' } | { readonly kind: 'change'; readonly change: LiveChange };

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

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
    follow(workspaceId, ended.signal, {
      onStarted: () => tell({ kind: 'started' }),
      onData: (change) => tell({ kind: 'change', change }),
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

/** Stays connected until `ended`. A server that stops ends its connections, and another one takes them. */
async function follow(workspaceId: string, ended: AbortSignal, listener: LiveChangeListener): Promise<void> {
  for (let delayMs = FIRST_DELAY_MS; !ended.aborted; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    const over = await connection(workspaceId, ended, {
      ...listener,
      onStarted: () => {
        delayMs = FIRST_DELAY_MS;
        listener.onStarted();
      },
    });
    if (over === 'signed-out') return;
    await new Promise((resolve) => setTimeout(resolve, delayMs * (0.5 + Math.random() / 2)));
  }
}

/** Resolves when the connection has ended for good; one that was only cut is made again by tRPC. */
function connection(
  workspaceId: string,
  ended: AbortSignal,
  listener: LiveChangeListener,
): Promise<'ended' | 'signed-out'> {
  return new Promise((resolve) => {
    const { unsubscribe } = server.events.subscribe(
      { workspaceId },
      {
        onData: (change) => listener.onData(change),
        onConnectionStateChange: ({ state }) => {
          if (state === 'pending') listener.onStarted();
        },
        onError: (error) => resolve(isSignedOut(error) ? 'signed-out' : 'ended'),
        onComplete: () => resolve('ended'),
      },
    );
    ended.addEventListener('abort', () => {
      unsubscribe();
      resolve('ended');
    });
  });
}
