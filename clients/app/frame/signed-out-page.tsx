import { signInPath } from '../address/app-path.ts';
import { buttonClass } from '../parts/button.tsx';
import { PageHeading } from './page-heading.tsx';

/** The session ended while the tab was open: signing in leads back to the same address. */
export function SignedOutPage() {
  return (
    <main className="lone-page">
      <PageHeading>You are signed out</PageHeading>
      <p>Sign in to go on where you were. What you wrote is kept in this browser.</p>
      <a className={buttonClass('primary')} href={signInPath()}>
        Sign in
      </a>
    </main>
  );
}
