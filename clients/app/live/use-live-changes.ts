import { useEffect } from 'react';
import type { LiveChange } from '#services/app/live/live-change.ts';
import { server } from '../server/server.ts';
import { pageSession } from '../start/page-session.ts';
import { afterVisible } from './after-visible.ts';
import { ChangeBatches } from './change-batches.ts';
import { subscribeToChanges } from './event-subscription.ts';
import { readChanges } from './read-changes.ts';

/**
 * Keeps what pages have read of a Workspace as it is on the server, for as long as the component is there. While the
 * tab is hidden changes are collected; they are read when the tab is visible again.
 */
export function useLiveChanges(workspaceId: string): void {
  useEffect(() => {
    const batches = new ChangeBatches({
      read: (batch) => readChanges(workspaceId, batch),
      after: afterVisible,
    });
    let isFirst = true;
    let isOver = false;
    const since = takePageTime();
    const { unsubscribe } = subscribeToChanges(workspaceId, {
      onData: (change) => batches.add(change),
      onStarted: () => {
        // Between two connections changes went unheard. Before the first the pages were read: the first page of a tab
        // began with it before its scripts were there.
        if (!isFirst) batches.add({ kind: 'stale' });
        else if (since !== null)
          void readMissed(workspaceId, since).then((change) => {
            if (change !== null && !isOver) batches.add(change);
          });
        isFirst = false;
      },
    });
    return () => {
      isOver = true;
      unsubscribe();
      batches.stop();
    };
  }, [workspaceId]);
}

let pageTime: string | null = pageSession()?.now ?? null;

/** When the server made the first page of this tab; ISO 8601. Null: the page does not tell, or it was asked before. */
function takePageTime(): string | null {
  const time = pageTime;
  pageTime = null;
  return time;
}

/** Never rejects. */
async function readMissed(workspaceId: string, since: string): Promise<LiveChange | null> {
  try {
    return await server.missed.query({ workspaceId, since });
  } catch {
    return { kind: 'stale' };
  }
}
