import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { TimeSlices, type Pause } from '#concurrency/time-slice.ts';
import { derivedId } from '#domain/derived-id.ts';
import { FIRST_ROUND, newDelivery } from '#domain/webhook/delivery.ts';
import type { Endpoint } from '#domain/webhook/endpoint.ts';
import { DELIVERIES } from '#tables/declarations/tables.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { boundStore } from '#testing/bound-store.ts';
import type { ApiCall } from './caller.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEndpoints } from './list-endpoints.ts';

const WORKSPACE = derivedId('a Workspace');
const ENDPOINT: Endpoint = {
  ...{ id: derivedId('an endpoint'), url: 'https://hooks.test/', events: ['variant.failed'], keyId: 'k' },
  ...{ memberId: 'm', createdAt: 0, secrets: [], stoppedAt: null },
};
const CALL = { workspaceId: WORKSPACE, permissions: ['webhooks:manage'] } as unknown as ApiCall;
const EVENT_BYTES = 300_000;

/** An endpoint with deliveries of large events; `steps`: each read of one, and each time the work may give way. */
async function open(deliveries: number) {
  const clock = createMemoryClock(1_000);
  const store = createMemoryTableStore({ clock });
  const steps: ('read' | 'pause')[] = [];
  const rows = createDeliveryRows({
    ...boundStore(store),
    slice: (table, ...more) => {
      if (table.name === DELIVERIES.name) steps.push('read');
      return store.slice(table, ...more);
    },
  });
  for (let number = 0; number < deliveries; number++) {
    const about = { eventId: derivedId(`${number}`), type: 'variant.failed', createdAt: number } as const;
    const delivery = newDelivery({ workspaceId: WORKSPACE, endpointId: ENDPOINT.id, ...about });
    await rows.make(delivery, { id: FIRST_ROUND, since: number }, Buffer.alloc(EVENT_BYTES, 'a'));
  }
  const slices = Object.assign(new TimeSlices({ clock }), { begin: (): Pause => () => void steps.push('pause') });
  const webhooks = {
    endpoints: async () => ({ [ENDPOINT.id]: ENDPOINT }),
    latest: (endpoint: Endpoint, limit: number) => rows.latest(endpoint.id, endpoint.createdAt, clock.now(), limit),
    disabledSince: async () => null,
  };
  return { steps, options: { webhooks, slices } };
}

test('deliveries are listed with no more events than have room in an answer, and one at least', async () => {
  const { options } = await open(20);
  const listed = await listDeliveries(CALL, { endpointId: ENDPOINT.id, limit: 20 }, options);
  const events = listed.ok ? listed.value.map(({ eventId }) => eventId) : [];
  expect(events).toEqual([derivedId('19'), derivedId('18'), derivedId('17')]);
});

test('deliveries of an endpoint are read one by one, and other Workspaces have the loop in between', async () => {
  const { options, steps } = await open(20);
  const listed = await listEndpoints(CALL, options);
  expect(listed.ok && listed.value[0]!.deliveries).toHaveLength(20);
  expect(steps).toEqual(Array.from({ length: 20 }, () => ['read', 'pause'] as const).flat());
});
