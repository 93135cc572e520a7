import { newDelivery } from '#domain/webhook/delivery.ts';
import type { OutcomeType } from '#domain/webhook/outcome-type.ts';
import type { Aftermath } from '../aftermath.ts';

/** A pair of event and endpoint that a turn committed. */
export interface ExpectedDelivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: OutcomeType;
  readonly createdAt: number;
  readonly body: string;
  readonly isTest: boolean;
}

/** What the log says that endpoints are to be told, each once however often it stands there. */
export function expectedDeliveries({ events, deliverOrders }: Aftermath): ReadonlyMap<string, ExpectedDelivery> {
  const expected = new Map<string, ExpectedDelivery>();
  const add = (about: Omit<ExpectedDelivery, 'id'>): void => {
    const { id } = newDelivery(about);
    expected.set(id, { id, ...about });
  };
  for (const { message } of events) {
    if (message.type !== 'VariantPublished' && message.type !== 'VariantFailed') continue;
    const { workspaceId, eventId, createdAt, body, endpointIds } = message;
    const type: OutcomeType = message.type === 'VariantPublished' ? 'variant.published' : 'variant.failed';
    for (const endpointId of endpointIds)
      add({ workspaceId, endpointId, eventId, type, createdAt, body, isTest: false });
  }
  for (const { message } of deliverOrders) {
    if (message.type !== 'SendTestEvent') continue;
    const { workspaceId, endpointId, eventId, eventType: type, createdAt, body } = message;
    add({ workspaceId, endpointId, eventId, type, createdAt, body, isTest: true });
  }
  return expected;
}
