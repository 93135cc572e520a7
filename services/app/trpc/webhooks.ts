import { z } from 'zod';
import { RegisterEndpointRequest } from '#schemas/http/webhook-requests.ts';
import { SentId } from '#schemas/http/scalars.ts';
import type { WebhookReader } from '#use-cases/dependencies.ts';
import { deleteEndpoint } from '#use-cases/delete-endpoint.ts';
import { listEndpoints, type ListEndpointsOptions } from '#use-cases/list-endpoints.ts';
import { registerEndpoint, type RegisterEndpointOptions } from '#use-cases/register-endpoint.ts';
import type { RequestTurns } from '#use-cases/request-turns.ts';
import { replayDelivery, type ReplayDeliveryOptions } from '#use-cases/replay-delivery.ts';
import { rotateEndpointSecret, type RotateEndpointSecretOptions } from '#use-cases/rotate-endpoint-secret.ts';
import { sendTestEvent, type SendTestEventOptions } from '#use-cases/send-test-event.ts';
import { listDeliveries } from '#use-cases/list-deliveries.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { router, valueOf } from './procedure.ts';

export type WebhookProceduresOptions = RegisterEndpointOptions &
  RotateEndpointSecretOptions &
  SendTestEventOptions &
  ReplayDeliveryOptions &
  ListEndpointsOptions & { readonly webhooks: WebhookReader; readonly turns: RequestTurns };

const OneEndpoint = z.object({ endpointId: SentId });

export function webhookProcedures(member: MemberProcedure, options: WebhookProceduresOptions) {
  return router({
    /** Each endpoint with its latest deliveries, newest first. */
    list: member.query(async ({ ctx: { call } }) =>
      valueOf(await options.turns.run('lists', call, () => listEndpoints(call, options))),
    ),
    /** The secret is in this answer only. */
    create: member
      .input(z.object({ endpoint: RegisterEndpointRequest }))
      .mutation(async ({ ctx: { call }, input }) => valueOf(await registerEndpoint(call, input.endpoint, options))),
    remove: member.input(OneEndpoint).mutation(async ({ ctx: { call }, input: { endpointId } }) => {
      valueOf(await deleteEndpoint(call, endpointId, options));
      return { endpointId };
    }),
    test: member
      .input(OneEndpoint)
      .mutation(async ({ ctx: { call }, input }) => valueOf(await sendTestEvent(call, input.endpointId, options))),
    /** The new secret is in this answer only. */
    rotateSecret: member
      .input(OneEndpoint)
      .mutation(async ({ ctx: { call }, input }) =>
        valueOf(await rotateEndpointSecret(call, input.endpointId, options)),
      ),
    /** The newest deliveries of an endpoint with their bodies and attempts, newest first. */
    deliveries: member
      .input(z.object({ ...OneEndpoint.shape, limit: z.int().min(1).max(100).default(50) }))
      .query(async ({ ctx: { call }, input }) =>
        valueOf(await options.turns.run('lists', call, () => listDeliveries(call, input, options))),
      ),
    replay: member
      .input(z.object({ ...OneEndpoint.shape, deliveryId: SentId }))
      .mutation(async ({ ctx: { call }, input }) =>
        valueOf(await replayDelivery(call, input.endpointId, input.deliveryId, options)),
      ),
  });
}
