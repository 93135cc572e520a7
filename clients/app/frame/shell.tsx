import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { RouterProvider as AriaRouterProvider } from 'react-aria-components';
import { useLiveChanges } from '../live/use-live-changes.ts';
import { Announcer } from '../parts/announcer.tsx';
import { ToastRegion } from '../parts/toast.tsx';
import type { AppSession } from '../workspace/session.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { CommandLayer } from './command-layer.tsx';
import { HeldBand } from './held-band.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { Rail } from './rail.tsx';
import { SandboxBand } from './sandbox-band.tsx';
import './shell.css';

export interface ShellProps {
  readonly session: AppSession;
  readonly children: ReactNode;
}

/** The rail, the page, and what lies over both. */
export function Shell({ session, children }: ShellProps) {
  const router = useRouter();
  const { id: workspaceId } = useWorkspace();
  const [isRailOpen, setRailOpen] = useState(false);
  useLiveChanges(workspaceId);
  useEffect(() => router.subscribe('onResolved', () => setRailOpen(false)), [router]);
  return (
    <AriaRouterProvider navigate={(href) => void router.navigate({ href })}>
      <a className="skip-link" href="#content" onClick={skipToContent}>
        Skip to the page
      </a>
      <div className="shell">
        <Rail session={session} isOpen={isRailOpen} onOpenChange={setRailOpen} />
        <div className="shell-content">
          {session.installation.sandbox ? <SandboxBand installation={session.installation} /> : null}
          <OfflineBanner />
          <HeldBand />
          <main id="content" className="shell-page" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
      <ToastRegion />
      <Announcer />
      <CommandLayer />
    </AriaRouterProvider>
  );
}

/** The address stays that of the page. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
