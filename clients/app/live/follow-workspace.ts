import type { LiveChange } from '#services/app/live/live-change.ts';
import { outdate } from '../server/queries.ts';
import { server } from '../server/server.ts';
import { serverNow } from '../workspace/clock.ts';
import { afterVisible } from './after-visible.ts';
import { ChangeBatches } from './change-batches.ts';
import type { SubscribeToChanges } from './live-changes.ts';
import { readChanges } from './read-changes.ts';

/**
 * Keeps what pages have read of a Workspace as it is on the server, until the function that it returns is called: from
 * then on it is out of date. While the tab is hidden changes are collected; they are read when it is visible again.
 * `pageTime`: when the server made the page that begins with the Workspace, ISO 8601; null: its pages are read from now
 * on.
 */
export function followWorkspace(
  workspaceId: string,
  pageTime: string | null,
  subscribe: SubscribeToChanges,
): () => void {
  const batches = new ChangeBatches({
    read: (batch) => readChanges(workspaceId, batch),
    after: afterVisible,
  });
  let isFirst = true;
  let isOver = false;
  const since = pageTime ?? new Date(serverNow()).toISOString();
  const { unsubscribe } = subscribe(workspaceId, {
    onData: (change) => batches.add(change),
    onStarted: () => {
      // Between two connections changes went unheard. Before the first the pages were read: the first page of a tab
      // began with it before its scripts were there.
      if (!isFirst) batches.add({ kind: 'stale' });
      else
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
    // Without the subscription no change of this Workspace is received, and queries count as fresh for a minute: who
    // came back to it sooner would be shown the cached answers.
    void outdate({ predicate: ({ queryKey }) => isOf(workspaceId, queryKey.at(-1)), refetchType: 'none' });
  };
}

function isOf(workspaceId: string, input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'workspaceId' in input && input.workspaceId === workspaceId;
}

/** Never rejects. */
async function readMissed(workspaceId: string, since: string): Promise<LiveChange | null> {
  try {
    return await server.missed.query({ workspaceId, since });
  } catch {
    return { kind: 'stale' };
  }
}
