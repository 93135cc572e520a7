import { createContext, useContext } from 'react';

/** The Workspace that the app shows, and what the person may do there. */
export interface ShownWorkspace {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'editor' | 'viewer';
  /** The person as a Member of it. */
  readonly memberId: string;
  readonly memberName: string;
  /** IANA name of the zone that an owner chose, or the browser that signed up; null: nobody chose one. */
  readonly ownZone: string | null;
  /** The zone that its times are shown in: its own, else the viewer's. */
  readonly timeZone: string;
}

export const WorkspaceContext = createContext<ShownWorkspace | null>(null);

/** For pages: the frame shows them only with a Workspace. */
export function useWorkspace(): ShownWorkspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error('useWorkspace was called outside of the frame');
  return workspace;
}
