import { z } from 'zod';
import { isRetained } from '#domain/webhook/delivery.ts';
import { isActive, type Endpoints } from '#domain/webhook/endpoint.ts';
import { renderDelivery, renderEndpoint, type DeliveryBody } from '#domain/webhook/render.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { createFailingEndpoints, disabledSince } from '#tables/repositories/failing-endpoints.ts';
import { readEndpoints } from '#tables/repositories/workspaces.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { isoOrNull } from '#domain/post/render.ts';
import { Id, isoOf } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, refused, router } from './procedure.ts';

const Failing = z
  .strictObject({
    forHours: z.number('must be a number').min(0, 'must not be negative').default(24),
    limit: z.int('must be a whole number').min(1).max(1_000).default(100),
  })
  .default({ forHours: 24, limit: 100 });
const OneDelivery = z.strictObject({ deliveryId: Id });

const HOUR_MS = 3_600_000;
const DELIVERIES_SHOWN = 5;
const WORKSPACES_AT_ONCE = 16;
/** Rows that are read to find `limit` endpoints that still exist. */
const MAX_FAILING = 5_000;

type WebhookProcedureOptions = Pick<AdminOptions, 'store' | 'clock' | 'ids'>;

/** Endpoints as operators see them, without their secrets. */
export function endpointProcedures({ store, clock, ids }: WebhookProcedureOptions) {
  const rows = createDeliveryRows(store);
  const failing = createFailingEndpoints(store, () => ids.token());
  return router({
    list: procedure.input(z.strictObject({ workspaceId: Id })).query(async ({ input }) => {
      const endpoints = Object.values(await readEndpoints(store, input.workspaceId));
      const shown = endpoints.map(async (endpoint) => {
        const latest = rows.latest(endpoint.id, endpoint.createdAt, clock.now(), DELIVERIES_SHOWN);
        const deliveries: DeliveryBody[] = [];
        for await (const each of latest) deliveries.push(renderDelivery(each, each.attempts, each.standing));
        const disabled = disabledSince(await failing.find(endpoint.id));
        return {
          ...renderEndpoint(endpoint, disabled),
          memberId: endpoint.memberId,
          deliveries,
        };
      });
      return { endpoints: await Promise.all(shown) };
    }),
  });
}

export function failingEndpointProcedures({ store, clock, ids }: WebhookProcedureOptions) {
  const failing = createFailingEndpoints(store, () => ids.token());
  return router({
    /** Active endpoints whose attempts have all failed for the longest time, longest first. */
    list: procedure.input(Failing).query(async ({ input }) => {
      const since = clock.now() - input.forHours * HOUR_MS;
      const found = (await failing.list(MAX_FAILING)).filter((each) => each.since <= since);
      const endpoints = new Map<string, Endpoints>();
      await parallelMap(
        WORKSPACES_AT_ONCE,
        new Set(found.map(({ workspaceId }) => workspaceId)),
        async (workspaceId) => {
          endpoints.set(workspaceId, await readEndpoints(store, workspaceId));
        },
      );
      const present = found.filter(({ workspaceId, endpointId }) => isActive(endpoints.get(workspaceId)?.[endpointId]));
      return {
        endpoints: present.slice(0, input.limit).map(({ markedAt: _, ...each }) => ({
          ...each,
          since: isoOf(each.since),
          disabledAt: isoOrNull(each.disabledAt ?? null),
        })),
        all: present.length,
      };
    }),
  });
}

export function deliveryProcedures(operator: Operator, { store, clock, ids }: WebhookProcedureOptions) {
  const rows = createDeliveryRows(store);
  const find = async (deliveryId: string) => {
    const kept = await rows.find(deliveryId);
    if (kept === null || !isRetained(kept.standing, clock.now()))
      throw refused({ code: 'not_found', message: 'There is no such delivery, or it ended more than 30 days ago.' });
    return kept;
  };
  return router({
    /** Each attempt with the receiver's answer, shortened and without secrets. */
    get: procedure.input(OneDelivery).query(async ({ input }) => {
      const kept = await find(input.deliveryId);
      const attempts = kept.attempts.map(
        ({ round, attempt, startedAt, finishedAt, outcome, status, error, excerpt }) => ({
          replay: round === '' ? null : round,
          attempt,
          startedAt: isoOf(startedAt),
          durationMs: finishedAt - startedAt,
          outcome,
          status,
          error,
          excerpt,
        }),
      );
      return {
        ...renderDelivery(kept, kept.attempts, kept.standing),
        workspaceId: kept.workspaceId,
        endpointId: kept.endpointId,
        bytes: kept.body.length,
        tries: attempts,
      };
    }),
    /** Delivers the same event to the endpoint again, under the same ids. */
    replay: procedure.input(OneDelivery).mutation(async ({ input: { deliveryId } }) => {
      const { workspaceId, endpointId } = await find(deliveryId);
      const askedAt = clock.now();
      await operator.command(workspaceId, {
        type: 'ReplayDelivery',
        endpointId,
        deliveryId,
        round: ids.uuid7(askedAt),
        askedAt,
      });
      return { deliveryId };
    }),
  });
}
