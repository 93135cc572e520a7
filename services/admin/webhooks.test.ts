import { describe, expect, test } from 'vitest';
import { deliveryIdOf, FIRST_ROUND, type DeliveryAttempt } from '#domain/webhook/delivery.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { createFailingEndpoints } from '#tables/repositories/failing-endpoints.ts';
import { WEBHOOK_DELIVERIES } from '#tables/declarations/topics.ts';
import { openAdminHarness, openWorkspace, START, until, type AdminHarness } from './admin-harness.fixture.ts';

const HOUR = 3_600_000;
const EVENT = '01a20000-0000-8000-8000-000000000001';
const asked = { issuedAt: START, notAfter: START + HOUR, replyTo: '' };

interface Place {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly endpointId: string;
}

/** A Workspace with an endpoint that its owner's key registered. */
async function openEndpoint(harness: AdminHarness): Promise<Place> {
  const { caller, options } = harness;
  const { workspaceId, memberId } = await openWorkspace(caller);
  const { keyId } = await caller.keys.create({
    workspaceId,
    memberId,
    name: 'a key',
    permissions: ['webhooks:manage'],
  });
  const endpointId = options.ids.uuid7(START);
  const about = { workspaceId, requestId: options.ids.uuid7(START), credential: { kind: 'key', keyId } } as const;
  await options.request({
    ...asked,
    ...about,
    type: 'RegisterEndpoint',
    endpointId,
    url: 'https://hooks.test/',
    events: ['variant.failed'],
    sealedSecret: 'sealed',
  });
  return { workspaceId, memberId, endpointId };
}

async function deliver({ store }: AdminHarness, { workspaceId, endpointId }: Place): Promise<string> {
  const rows = createDeliveryRows(store);
  const id = deliveryIdOf(EVENT, endpointId);
  await rows.make(
    { id, workspaceId, endpointId, eventId: EVENT, type: 'variant.failed', createdAt: START },
    { id: FIRST_ROUND, since: START },
    Buffer.from('{}'),
  );
  const attempt: DeliveryAttempt = {
    round: '',
    attempt: 1,
    startedAt: START,
    finishedAt: START + 7,
    outcome: 'refused',
    status: 500,
    error: 'The endpoint answered 500.',
    excerpt: 'oops',
    retryAfterMs: null,
  };
  await rows.keepAttempt({ id, workspaceId }, attempt, 'a token');
  return id;
}

describe('endpoints', () => {
  test('are listed with their latest deliveries, and never with a secret', async () => {
    await using harness = await openAdminHarness();
    const place = await openEndpoint(harness);
    const deliveryId = await deliver(harness, place);
    const listed = await harness.caller.endpoints.list({ workspaceId: place.workspaceId });
    expect(listed).toMatchObject({
      endpoints: [
        {
          id: place.endpointId,
          state: 'active',
          memberId: place.memberId,
          deliveries: [{ id: deliveryId, attempts: 1 }],
        },
      ],
    });
    expect(JSON.stringify(listed)).not.toContain('sealed');
  });

  test('that are disabled say so, with why', async () => {
    await using harness = await openAdminHarness();
    const failing = createFailingEndpoints(harness.store, () => harness.options.ids.token());
    const { workspaceId, endpointId } = await openEndpoint(harness);
    const since = START - 5 * 24 * HOUR;
    const about = { workspaceId, endpointId, url: 'https://hooks.test/', error: 'down' };
    await failing.disable({ ...about, since, disabledAt: START });
    const listed = await harness.caller.endpoints.list({ workspaceId });
    expect(listed.endpoints).toMatchObject([
      { state: 'stopped', disabledAt: new Date(START).toISOString(), disabledReason: expect.stringContaining('down') },
    ]);
  });

  test('that have failed for long are listed, longest first, until they are deactivated', async () => {
    await using harness = await openAdminHarness();
    const failing = createFailingEndpoints(harness.store, () => harness.options.ids.token());
    const [lately, long] = [await openEndpoint(harness), await openEndpoint(harness)];
    const mark = ({ workspaceId, endpointId }: Place, hours: number) =>
      failing.mark(
        { workspaceId, endpointId, url: 'https://hooks.test/', since: START - hours * HOUR, error: 'down' },
        0,
      );
    await mark(lately, 2);
    await mark(long, 48);
    expect((await harness.caller.failingEndpoints.list()).endpoints.map(({ endpointId }) => endpointId)).toEqual([
      long.endpointId,
    ]);
    expect(
      (await harness.caller.failingEndpoints.list({ forHours: 1 })).endpoints.map(({ endpointId }) => endpointId),
    ).toEqual([long.endpointId, lately.endpointId]);
    await harness.caller.members.remove({ workspaceId: long.workspaceId, memberId: long.memberId });
    expect(await harness.caller.failingEndpoints.list({ forHours: 1 })).toMatchObject({
      endpoints: [{ endpointId: lately.endpointId, error: 'down' }],
      all: 1,
    });
  });
});

describe('a delivery', () => {
  test('shows each attempt, with the answer of the receiver', async () => {
    await using harness = await openAdminHarness();
    const place = await openEndpoint(harness);
    const deliveryId = await deliver(harness, place);
    expect(await harness.caller.deliveries.get({ deliveryId })).toMatchObject({
      id: deliveryId,
      workspaceId: place.workspaceId,
      endpointId: place.endpointId,
      state: 'pending',
      bytes: 2,
      tries: [{ replay: null, attempt: 1, outcome: 'refused', status: 500, excerpt: 'oops', durationMs: 7 }],
    });
  });

  test('is replayed to its endpoint, and not to one that was deactivated', async () => {
    await using harness = await openAdminHarness();
    const place = await openEndpoint(harness);
    const deliveryId = await deliver(harness, place);
    await harness.caller.deliveries.replay({ deliveryId });
    const handed = () =>
      Array.from({ length: WEBHOOK_DELIVERIES.partitions }, (_, partition) =>
        harness.log.control.records({ topic: WEBHOOK_DELIVERIES.name, partition }),
      ).flat();
    // The turn is answered when it is certain that this will be, and a moment before it is.
    await until(() => handed().length > 0);
    expect(await Promise.all(handed().map(({ value }) => harness.codec.decode(value)))).toMatchObject([
      { message: { type: 'ReplayDelivery', deliveryId, endpointId: place.endpointId } },
    ]);
    await harness.caller.members.remove({ workspaceId: place.workspaceId, memberId: place.memberId });
    await expect(harness.caller.deliveries.replay({ deliveryId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('that does not exist is not found', async () => {
    await using harness = await openAdminHarness();
    await expect(harness.caller.deliveries.get({ deliveryId: EVENT })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
