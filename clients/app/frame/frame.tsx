import { Outlet, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { keepText } from '../preferences/preference.ts';
import { shownTimeZone } from '../preferences/time-zone.ts';
import { LAST_WORKSPACE, ownWorkspace } from '../workspace/own-workspace.ts';
import { useServerClock, useSession, type AppSession } from '../workspace/session.ts';
import { WorkspaceContext, type ShownWorkspace } from '../workspace/workspace.ts';
import { NoWorkspacePage } from './no-workspace-page.tsx';
import { OtherWorkspacePage } from './other-workspace-page.tsx';
import { Shell } from './shell.tsx';
import { SignedOutPage } from './signed-out-page.tsx';

/** The frame around every page: it shows one Workspace of the account that is signed in. */
export function Frame() {
  const answer = useSession();
  useServerClock(answer);
  const { data: session, error, refetch } = answer;
  if (session === undefined && error !== null)
    return (
      <main className="lone-page">
        <ErrorPanel title="The app could not be opened." error={error} onRetry={() => void refetch()} />
      </main>
    );
  if (session === undefined)
    return (
      <main className="lone-page">
        <Skeleton label="Opening the app" lines={6} />
      </main>
    );
  if (session.account === null) return <SignedOutPage />;
  return <SignedInFrame session={session} />;
}

function SignedInFrame({ session }: { readonly session: AppSession }) {
  const { workspace: named } = useSearch({ strict: false });
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const { workspaces } = session;
  const own = ownWorkspace(session, named);
  const id = own?.id;
  useEffect(() => {
    if (id === undefined) return;
    keepText(LAST_WORKSPACE, id);
    // The address names the Workspace from now on, so that it can be sent to a colleague.
    if (named !== undefined) return;
    void navigate({ to: pathname, search: (search) => ({ ...search, workspace: id }), replace: true });
  }, [id, named, pathname, navigate]);
  if (workspaces.length === 0) return <NoWorkspacePage session={session} />;
  if (own === undefined) return <OtherWorkspacePage workspaces={workspaces} />;
  return <WorkspaceFrame key={own.id} own={own} session={session} />;
}

interface WorkspaceFrameProps {
  readonly own: AppSession['workspaces'][number];
  readonly session: AppSession;
}

function WorkspaceFrame({ own, session }: WorkspaceFrameProps) {
  const { id, name, role, memberId, memberName, timeZone: ownZone } = own;
  const workspace = useMemo<ShownWorkspace>(
    () => ({ id, name, role, memberId, memberName, ownZone, timeZone: shownTimeZone(ownZone) }),
    [id, name, role, memberId, memberName, ownZone],
  );
  return (
    <WorkspaceContext value={workspace}>
      <Shell session={session}>
        <Outlet />
      </Shell>
    </WorkspaceContext>
  );
}
