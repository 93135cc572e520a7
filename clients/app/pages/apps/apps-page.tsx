import { PageHeading } from '../../frame/page-heading.tsx';
import { Answer } from '../../parts/answer.tsx';
import { CopyableText } from '../../parts/copyable-text.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Section } from '../../parts/section.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { AppTable } from './app-table.tsx';

/** Apps and assistants that Members let act in the Workspace. */
export function AppsPage() {
  const { id: workspaceId } = useWorkspace();
  const apps = useServerQuery((from) => from.apps.list, { workspaceId });
  return (
    <>
      <PageHeading>Apps and assistants</PageHeading>
      <Section title="Apps that may act in this Workspace">
        <Answer query={apps} what="apps">
          {(list) =>
            list.length === 0 ? (
              <EmptyState title="No apps yet">
                An assistant lists Channels and Posts, schedules and cancels them, within what a Member lets it do.
              </EmptyState>
            ) : (
              <AppTable apps={list} />
            )
          }
        </Answer>
      </Section>
      <ConnectAnApp />
    </>
  );
}

function ConnectAnApp() {
  const { role } = useWorkspace();
  const { data } = useServerQuery((from) => from.session.get, undefined);
  const publicUrl = data?.installation.publicUrl ?? window.location.origin;
  return (
    <Section title="Connect an assistant">
      <p>
        Add this address to your assistant as a connector (an MCP server). There is no key to paste: the assistant opens
        a page on which you sign in, pick a Workspace and tick what it may do.
      </p>
      <CopyableText text={`${publicUrl}/mcp`} label="Copy the address" />
      <ul>
        <li>Claude: Settings, Connectors, “Add custom connector”; leave the client id empty.</li>
        <li>
          Claude Code: <code>claude mcp add --transport http crier {publicUrl}/mcp</code>
        </li>
        <li>ChatGPT: Settings, Apps and connectors, Advanced, developer mode; then “Create”, with OAuth.</li>
        <li>Cursor and VS Code: add an HTTP MCP server with this address, then let it authenticate.</li>
      </ul>
      {role === 'viewer' ? <p>You are a viewer: owners and editors can let an assistant act, you can not.</p> : null}
    </Section>
  );
}
