import { useState } from 'react';
import type { DeliveryBody } from '#domain/webhook/render.ts';
import { Button } from '../../parts/button.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { AwaitedDelivery } from './awaited-delivery.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DeliveryState } from './delivery-state.tsx';

export interface DeliveriesProps {
  readonly endpointId: string;
  readonly isStopped: boolean;
  /** Newest first. */
  readonly latest: readonly DeliveryBody[];
  readonly onChange: () => void;
  readonly awaited: AwaitedDelivery | null;
  readonly onAwaited: (awaited: AwaitedDelivery) => void;
}

/** The latest deliveries of an endpoint; each opens with all that was sent and answered. */
export function Deliveries({ latest, ...ofDialog }: DeliveriesProps) {
  const [open, setOpen] = useState<string | null>(null);
  if (latest.length === 0)
    return <p className="webhook-soft">Nothing was sent to it yet. “Send a test” shows whether it answers.</p>;
  return (
    <>
      <h3>Latest deliveries</h3>
      <Table<DeliveryBody>
        caption="Latest deliveries, newest first"
        rows={latest}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Event', render: ({ type }) => <code>{type}</code>, isHeader: true },
          { name: 'State', render: (delivery) => <DeliveryState delivery={delivery} /> },
          { name: 'Answer', render: ({ responseStatus, error }) => responseStatus ?? error ?? '–' },
          { name: 'Attempts', render: ({ attempts }) => attempts, isNumber: true },
          { name: 'Made', render: ({ createdAt }) => <Time at={createdAt} /> },
          {
            name: 'Look',
            isNameHidden: true,
            render: ({ id, type, createdAt }) => (
              <Button look="quiet" onPress={() => setOpen(id)} aria-label={`Look at the ${type} of ${createdAt}`}>
                Look
              </Button>
            ),
          },
        ]}
      />
      {open === null ? null : <DeliveryDialog {...ofDialog} deliveryId={open} onClose={() => setOpen(null)} />}
    </>
  );
}
