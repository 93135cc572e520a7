import type { DeliverEvent } from '#messages/messages.ts';
import type { Endpoint } from '#domain/webhook/endpoint.ts';
import type { Tracer, TraceSpan } from '#ports/tracer.ts';
import type { SendResult } from './send-attempt.ts';

/**
 * One request to an endpoint. It says the host and never the address: paths and queries of endpoints have secrets of
 * their owners in them.
 */
export function startDelivery(
  tracer: Tracer,
  { trace, workspaceId, endpointId, deliveryId, attempt }: DeliverEvent,
  { endpoint, eventId }: { readonly endpoint: Endpoint; readonly eventId: string },
): TraceSpan {
  if (!tracer.isOn) return tracer.start('POST', { kind: 'client' });
  return tracer.start('POST', {
    kind: 'client',
    parent: trace,
    attributes: {
      'http.request.method': 'POST',
      'server.address': URL.parse(endpoint.url)?.hostname ?? '',
      'crier.workspace.id': workspaceId,
      'crier.endpoint.id': endpointId,
      'crier.event.id': eventId,
      'crier.delivery.id': deliveryId,
      'crier.attempt': attempt,
    },
  });
}

export function endDelivery(span: TraceSpan, { outcome, status }: SendResult): void {
  if (status !== null) span.set({ 'http.response.status_code': status });
  span.end(outcome === 'succeeded' ? undefined : outcome);
}
