import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHeading } from '../../frame/page-heading.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { server } from '../../server/server.ts';
import { serverKey } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { actionsOf } from './action-words.ts';
import { AuditFilters, NO_FILTER, type AuditFilter } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { dayBounds } from './day-bounds.ts';

const PAGE_ENTRIES = 50;

/** Who did what in the Workspace, when, from where and by which door. */
export function AuditPage() {
  const { role } = useWorkspace();
  return (
    <>
      <PageHeading>Audit</PageHeading>
      {role === 'owner' ? (
        <Entries />
      ) : (
        <EmptyState title="Only owners read the audit">It names people and their addresses. Ask an owner.</EmptyState>
      )}
    </>
  );
}

function Entries() {
  const { id: workspaceId, timeZone } = useWorkspace();
  const [filter, setFilter] = useState<AuditFilter>(NO_FILTER);
  const input = inputOf(filter, workspaceId, timeZone);
  const audit = useInfiniteQuery({
    queryKey: serverKey((from) => from.audit.list, input),
    queryFn: ({ pageParam, signal }) => server.audit.list.query({ ...input, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? [];
  const isFiltered = filter !== NO_FILTER && Object.values(filter).some((value) => value !== '');
  return (
    <>
      <p className="soft">Entries are kept for 400 days. Nobody can change or remove them.</p>
      <AuditFilters filter={filter} onChange={setFilter} />
      {audit.isPending ? <Skeleton label="Loading the audit" lines={8} /> : null}
      {audit.error === null ? null : (
        <ErrorPanel
          title="Crier could not read the audit."
          error={audit.error}
          onRetry={() => void (audit.data === undefined ? audit.refetch() : audit.fetchNextPage())}
        />
      )}
      {audit.data !== undefined && entries.length === 0 && !audit.hasNextPage ? (
        <EmptyState
          title={isFiltered ? 'Nothing passes these filters' : 'Nothing was done yet'}
          action={isFiltered ? <Button onPress={() => setFilter(NO_FILTER)}>Show everything</Button> : null}
        />
      ) : null}
      {entries.length === 0 ? null : <AuditList entries={entries} />}
      {audit.hasNextPage ? (
        <Button isPending={audit.isFetchingNextPage} onPress={() => void audit.fetchNextPage()}>
          Show older entries
        </Button>
      ) : null}
    </>
  );
}

function inputOf({ memberName, group, from, to }: AuditFilter, workspaceId: string, timeZone: string) {
  const actions = actionsOf(group);
  return {
    workspaceId,
    limit: PAGE_ENTRIES,
    ...(memberName !== '' && { memberName }),
    ...(actions !== undefined && { actions }),
    ...(from !== '' && { from: dayBounds(from, timeZone).begin }),
    ...(to !== '' && { to: dayBounds(to, timeZone).end }),
  };
}
