import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHeading } from '../../frame/page-heading.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { serverKey, useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { isAwaited, type AwaitedDelivery } from './awaited-delivery.ts';
import { CreateEndpointDialog } from './create-endpoint-dialog.tsx';
import { EndpointSection } from './endpoint-section.tsx';
import { VerifyingNote } from './verifying-note.tsx';
import './webhooks.css';

const EVERY_MS = 2_000;

/** The addresses that events are sent to, and what was sent to them. */
export function WebhooksPage() {
  const { role } = useWorkspace();
  if (role !== 'viewer') return <Endpoints />;
  return (
    <>
      <PageHeading>Webhooks</PageHeading>
      <EmptyState title="Webhooks are for editors and owners">
        What is sent to them tells where this Workspace’s systems are. Ask an owner to make you an editor.
      </EmptyState>
    </>
  );
}

function Endpoints() {
  const { id: workspaceId } = useWorkspace();
  const queryClient = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [awaited, setAwaited] = useState<AwaitedDelivery | null>(null);
  const { data, error, refetch } = useServerQuery(
    (from) => from.webhooks.list,
    { workspaceId },
    // A delivery under way ends within seconds, where its receiver answers.
    {
      refetchInterval: ({ state }) => {
        const deliveries = state.data?.flatMap((endpoint) => endpoint.deliveries) ?? [];
        const isUnderWay = deliveries.some(({ state: its }) => its === 'pending');
        return isUnderWay || isAwaited(awaited, deliveries, Date.now()) ? EVERY_MS : false;
      },
    },
  );
  const readAgain = (): void => {
    for (const queryKey of [serverKey((from) => from.webhooks.list), serverKey((from) => from.webhooks.deliveries)])
      void queryClient.invalidateQueries({ queryKey });
  };
  const create = (
    <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
      Add an endpoint
    </Button>
  );
  return (
    <>
      <PageHeading>Webhooks</PageHeading>
      {error === null ? null : (
        <ErrorPanel title="The webhooks could not be read." error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null ? <Skeleton label="Loading webhooks" /> : null}
      {data?.length === 0 ? (
        <EmptyState title="No webhooks yet" action={create}>
          An endpoint is an address of yours that Crier tells when a Variant is published or has failed.
        </EmptyState>
      ) : null}
      {data === undefined || data.length === 0 ? null : (
        <>
          <div className="webhook-bar">{create}</div>
          {data.map((endpoint) => (
            <EndpointSection
              key={endpoint.id}
              endpoint={endpoint}
              onChange={readAgain}
              awaited={awaited}
              onAwaited={setAwaited}
            />
          ))}
        </>
      )}
      <VerifyingNote />
      {isCreating ? <CreateEndpointDialog onClose={() => setCreating(false)} onChange={readAgain} /> : null}
    </>
  );
}
