import type { AppSession } from '../workspace/session.ts';
import { MakeWorkspaceForm } from '../workspace/make-workspace-form.tsx';
import { SignOutButton } from '../workspace/sign-out-button.tsx';
import { PageHeading } from './page-heading.tsx';

/** For an account that is in no Workspace yet. */
export function NoWorkspacePage({ session }: { readonly session: AppSession }) {
  const email = session.account?.email ?? '';
  return (
    <main className="lone-page">
      <PageHeading>You are in no Workspace yet</PageHeading>
      {session.installation.signUpOpen ? (
        <>
          <p>
            Make one, or ask an owner of one to invite <bdi>{email}</bdi>: the invitation comes by mail.
          </p>
          <MakeWorkspaceForm />
        </>
      ) : (
        <p>
          Ask an owner of one to invite <bdi>{email}</bdi>: the invitation comes by mail.
        </p>
      )}
      <SignOutButton />
    </main>
  );
}
