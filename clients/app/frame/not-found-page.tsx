import { Link } from '@tanstack/react-router';
import { PageHeading } from './page-heading.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeading>There is no such page</PageHeading>
      <p>
        The address is wrong, or what it named is gone. <Link to="/calendar">Open the calendar</Link>
      </p>
    </>
  );
}
