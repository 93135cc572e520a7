import type { ErrorComponentProps } from '@tanstack/react-router';
import { PageHeading } from './page-heading.tsx';

/** Shown in the place of a page that threw: the rest of the app goes on. */
export function BrokenPage({ reset }: ErrorComponentProps) {
  return (
    <>
      <PageHeading>This page has stopped working</PageHeading>
      <p>What was saved on the server is safe. Open the page again; if it stops again, tell the operator.</p>
      <button type="button" onClick={reset}>
        Open the page again
      </button>
    </>
  );
}
