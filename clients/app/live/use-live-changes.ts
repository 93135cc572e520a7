import { useEffect } from 'react';
import { pageSession } from '../start/page-session.ts';
import { subscribeToChanges } from './event-subscription.ts';
import { followWorkspace } from './follow-workspace.ts';

/** Keeps what pages have read of a Workspace as it is on the server, for as long as the component is there. */
export function useLiveChanges(workspaceId: string): void {
  useEffect(() => followWorkspace(workspaceId, takePageTime(), subscribeToChanges), [workspaceId]);
}

let pageTime: string | null = pageSession()?.now ?? null;

/** When the server made the first page of this tab; ISO 8601. Null: the page does not tell, or it was asked before. */
function takePageTime(): string | null {
  const time = pageTime;
  pageTime = null;
  return time;
}
