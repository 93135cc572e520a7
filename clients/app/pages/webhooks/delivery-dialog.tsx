import type { DeliveryBody } from '#domain/webhook/render.ts';
import { Button } from '../../parts/button.tsx';
import { CopyableId, CopyButton } from '../../parts/copyable-id.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useServerMutation, useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { isAwaited, type AwaitedDelivery } from './awaited-delivery.ts';
import { DeliveryState } from './delivery-state.tsx';
import { outcomeWords, prettyJson } from './event-words.ts';

/** A delivery as webhooks.deliveries tells it. */
interface ReadDelivery extends DeliveryBody {
  readonly body: string;
  readonly tries: readonly {
    readonly startedAt: string;
    readonly durationMs: number;
    readonly outcome: string;
    readonly status: number | null;
    readonly error: string | null;
    readonly excerpt: string;
  }[];
}

export interface DeliveryDialogProps {
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly isStopped: boolean;
  readonly onClose: () => void;
  readonly onChange: () => void;
  readonly awaited: AwaitedDelivery | null;
  /** It is sent again. */
  readonly onAwaited: (awaited: AwaitedDelivery) => void;
}

/** As many as the list can name. */
const READ = 20;

/** One delivery with all that was sent and answered. */
export function DeliveryDialog({ endpointId, deliveryId, isStopped, ...its }: DeliveryDialogProps) {
  const { onClose, onChange, onAwaited } = its;
  const awaited = its.awaited?.id === deliveryId ? its.awaited : null;
  const { id: workspaceId } = useWorkspace();
  const { data, error, refetch } = useServerQuery(
    (from) => from.webhooks.deliveries,
    { workspaceId, endpointId, limit: READ },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => {
        const isUnderWay = state.data?.find(({ id }) => id === deliveryId)?.state === 'pending';
        return isUnderWay || isAwaited(awaited, state.data, Date.now()) ? 1_000 : false;
      },
    },
  );
  const delivery = data?.find(({ id }) => id === deliveryId);
  const replay = useServerMutation((to) => to.webhooks.replay, {
    onSuccess: () => {
      if (delivery !== undefined) onAwaited({ id: deliveryId, before: delivery, askedAt: Date.now() });
      showToast({ message: 'The same event is sent again.' });
    },
    onSettled: onChange,
  });
  return (
    <Dialog
      title="Delivery"
      isOpen
      onClose={onClose}
      width="wide"
      actions={
        isStopped || delivery === undefined ? undefined : (
          <Button
            icon="refresh"
            isPending={replay.isPending}
            onPress={() => replay.mutate({ workspaceId, endpointId, deliveryId })}
          >
            Send it again
          </Button>
        )
      }
    >
      {error === null ? null : (
        <ErrorPanel title="The delivery could not be read." error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null ? <Skeleton label="Loading the delivery" /> : null}
      {data !== undefined && delivery === undefined ? (
        <p>It is no longer among the latest {READ} deliveries of this endpoint.</p>
      ) : null}
      {replay.error === null ? null : <ErrorPanel isOfChange title="It was not sent again." error={replay.error} />}
      {delivery === undefined ? null : <DeliveryFacts delivery={delivery} />}
    </Dialog>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: ReadDelivery }) {
  return (
    <>
      <p>
        <code>{delivery.type}</code> · <DeliveryState delivery={delivery} />
      </p>
      <p className="webhook-soft">
        Event <CopyableId id={delivery.eventId} label="Copy the id of the event" /> Delivery{' '}
        <CopyableId id={delivery.id} label="Copy the id of the delivery" />
      </p>
      <h3>Attempts</h3>
      {delivery.tries.length === 0 ? <p className="webhook-soft">None yet.</p> : null}
      <ol className="delivery-tries">
        {delivery.tries.map(({ startedAt, outcome, status, durationMs, error, excerpt }) => (
          <li key={startedAt}>
            <Time at={startedAt} form="absolute" /> · {outcomeWords(outcome, status)} · {durationMs} ms
            {error === null ? null : <p>{error}</p>}
            {excerpt === '' ? null : (
              <pre tabIndex={0} role="region" aria-label="The beginning of the answer">
                {excerpt}
              </pre>
            )}
          </li>
        ))}
      </ol>
      <h3>What is sent</h3>
      <div className="webhook-bar">
        <CopyButton text={delivery.body} label="Copy the body as it is sent" isLabelHidden={false} />
      </div>
      <pre className="delivery-body" tabIndex={0} role="region" aria-label="Body">
        {prettyJson(delivery.body)}
      </pre>
    </>
  );
}
