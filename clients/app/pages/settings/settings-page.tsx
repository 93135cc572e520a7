import { PageHeading } from '../../frame/page-heading.tsx';
import { AccountSection } from './account-section.tsx';
import { AnotherWorkspaceSection } from './another-workspace-section.tsx';
import { LookSection } from './look-section.tsx';
import { PublishingSection } from './publishing-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { TimeZoneSection } from './time-zone-section.tsx';
import { WorkspaceSection } from './workspace-section.tsx';

/** The Workspace, the account, and what this browser keeps. */
export function SettingsPage() {
  return (
    <>
      <PageHeading>Settings</PageHeading>
      <WorkspaceSection />
      <PublishingSection />
      <LookSection />
      <TimeZoneSection />
      <AccountSection />
      <SessionsSection />
      <AnotherWorkspaceSection />
    </>
  );
}
