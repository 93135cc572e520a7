import { useState } from 'react';
import type { DeliveryBody, EndpointBody } from '#domain/webhook/render.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useServerMutation } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import type { AwaitedDelivery } from './awaited-delivery.ts';
import { Deliveries } from './deliveries.tsx';
import { SecretOnce } from './secret-once.tsx';
import { isolating } from '../../parts/isolating.ts';

export interface EndpointSectionProps {
  readonly endpoint: EndpointBody & { readonly deliveries: readonly DeliveryBody[] };
  readonly onChange: () => void;
  readonly awaited: AwaitedDelivery | null;
  /** A test is on its way, or a delivery is sent again. */
  readonly onAwaited: (awaited: AwaitedDelivery) => void;
}

/** One endpoint: what it is told, whether it works, and what was sent to it. */
export function EndpointSection({ endpoint, onChange, awaited, onAwaited }: EndpointSectionProps) {
  const { id, url, events, state, createdAt, deliveries, disabledAt, disabledReason } = endpoint;
  const isStopped = state === 'stopped';
  return (
    <section className="webhook" aria-label={isolating`Endpoint ${url}`}>
      <h2>
        <code dir="auto">{url}</code>
      </h2>
      <p className={isStopped ? 'webhook-stopped' : 'webhook-active'}>
        <Icon name={isStopped ? 'alert' : 'check'} />{' '}
        {disabledAt !== null ? 'Disabled' : isStopped ? 'Stopped' : 'Active'}
        <span className="webhook-soft">
          {' '}
          · {events.join(', ')} · added <Time at={createdAt} />
        </span>
      </p>
      {disabledAt !== null ? (
        <p>
          Disabled since <Time at={disabledAt} />. <span dir="auto">{disabledReason}</span> What failed meanwhile can be
          sent again from the list below.
        </p>
      ) : isStopped ? (
        <p>
          The key or the app that registered it has ended, or its Member has left the Workspace. Nothing is sent to it
          any more. Add the address again to go on.
        </p>
      ) : null}
      <CopyableId id={id} label="Copy the id of the endpoint" />
      <EndpointActions endpoint={endpoint} onChange={onChange} onAwaited={onAwaited} />
      <Deliveries
        endpointId={id}
        isStopped={isStopped && disabledAt === null}
        latest={deliveries}
        onChange={onChange}
        awaited={awaited}
        onAwaited={onAwaited}
      />
    </section>
  );
}

type Question = 'rotate' | 'remove' | null;

function EndpointActions({ endpoint, onChange, onAwaited }: Omit<EndpointSectionProps, 'awaited'>) {
  const { id: endpointId, state } = endpoint;
  const { id: workspaceId } = useWorkspace();
  const [question, setQuestion] = useState<Question>(null);
  const close = (): void => setQuestion(null);
  const test = useServerMutation((to) => to.webhooks.test, {
    onSuccess: ({ id }) => {
      onAwaited({ id, before: null, askedAt: Date.now() });
      showToast({ message: 'A test event is on its way: see the deliveries below.' });
    },
    onSettled: onChange,
  });
  const rotate = useServerMutation((to) => to.webhooks.rotateSecret, { onSuccess: close, onSettled: onChange });
  return (
    <>
      <div className="webhook-bar">
        {state === 'stopped' && endpoint.disabledAt === null ? null : (
          <>
            <Button icon="send" isPending={test.isPending} onPress={() => test.mutate({ workspaceId, endpointId })}>
              Send a test
            </Button>
            <Button icon="key" onPress={() => setQuestion('rotate')}>
              Rotate the secret
            </Button>
          </>
        )}
        <Button look="danger" onPress={() => setQuestion('remove')}>
          Remove
        </Button>
      </div>
      {test.error === null ? null : <ErrorPanel isOfChange title="No test was sent." error={test.error} />}
      <ConfirmDialog
        title="Make a new secret?"
        isOpen={question === 'rotate'}
        onClose={close}
        confirmLabel="Make a new secret"
        isDanger={false}
        isPending={rotate.isPending}
        onConfirm={() => rotate.mutate({ workspaceId, endpointId })}
      >
        <p>For a day both secrets sign every delivery, so that your receiver can change over without losing one.</p>
        {rotate.error === null ? null : (
          <ErrorPanel isOfChange title="The secret stays as it is." error={rotate.error} />
        )}
      </ConfirmDialog>
      {question === 'remove' ? <RemoveEndpoint endpoint={endpoint} onClose={close} onChange={onChange} /> : null}
      {rotate.data === undefined ? null : (
        <SecretOnce
          title="The endpoint’s new secret"
          secret={rotate.data.secret}
          note="The old secret signs beside it for a day."
          onClose={() => rotate.reset()}
        />
      )}
    </>
  );
}

interface RemoveEndpointProps extends Omit<EndpointSectionProps, 'awaited' | 'onAwaited'> {
  readonly onClose: () => void;
}

function RemoveEndpoint({ endpoint: { id: endpointId, url }, onClose, onChange }: RemoveEndpointProps) {
  const { id: workspaceId } = useWorkspace();
  const remove = useServerMutation((to) => to.webhooks.remove, {
    onSuccess: () => {
      showToast({ message: isolating`${url} is told nothing any more.` });
      onClose();
    },
    onSettled: onChange,
  });
  return (
    <ConfirmDialog
      title="Remove this endpoint?"
      isOpen
      onClose={onClose}
      confirmLabel="Remove"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate({ workspaceId, endpointId })}
    >
      <p>
        Nothing more is sent to <code dir="auto">{url}</code>, deliveries that still wait among it, and its deliveries
        are no longer shown.
      </p>
      {remove.error === null ? null : <ErrorPanel isOfChange title="It was not removed." error={remove.error} />}
    </ConfirmDialog>
  );
}
