import { PageHeading } from '../../frame/page-heading.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/link-button.tsx';

/** Why somebody who may only read finds nothing to write with. */
export function ViewerNotice() {
  return (
    <>
      <PageHeading>Compose</PageHeading>
      <EmptyState
        title="Viewers read, and write no Posts"
        action={
          <LinkButton to="/calendar" look="primary">
            Open the calendar
          </LinkButton>
        }
      >
        Ask an owner of this Workspace to make you an editor, and this page is where you write.
      </EmptyState>
    </>
  );
}
