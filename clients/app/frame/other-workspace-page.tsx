import { Link } from '@tanstack/react-router';
import type { AppSession } from '../workspace/session.ts';
import { PageHeading } from './page-heading.tsx';

/** For an address of a Workspace that the person is no Member of. */
export function OtherWorkspacePage({ workspaces }: Pick<AppSession, 'workspaces'>) {
  return (
    <main className="lone-page">
      <PageHeading>You are not in that Workspace</PageHeading>
      <p>Ask whoever sent you the address to have you invited, or open one of yours:</p>
      <ul>
        {workspaces.map(({ id, name }) => (
          <li key={id}>
            <Link to="/calendar" search={{ workspace: id }}>
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </main>
  );
}
