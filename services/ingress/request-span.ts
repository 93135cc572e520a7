import type { Request } from 'express';
import { traceparentOf } from '#domain/traceparent.ts';
import type { Tracer, TraceSpan } from '#ports/tracer.ts';
import type { Caller } from '#use-cases/caller.ts';

/**
 * A request, as a part of its client's trace where that sent one. By its route and not by its path: ids of others, and
 * signatures of upload addresses, are no names.
 */
export function startRequest(tracer: Tracer, request: Request, operation: string): TraceSpan {
  if (!tracer.isOn) return tracer.start(operation, { kind: 'server' });
  const path: unknown = request.route?.path;
  const route = typeof path === 'string' ? { 'http.route': path } : undefined;
  return tracer.start(`${request.method} ${route === undefined ? operation : route['http.route']}`, {
    kind: 'server',
    parent: traceparentOf(request.headers['traceparent']),
    attributes: { 'http.request.method': request.method, 'crier.operation': operation, ...route },
  });
}

/** Only what is our own fault is an error of ours. */
export function endRequest(span: TraceSpan, status: number, caller: Caller | null): void {
  if (span.trace === undefined) return span.end();
  span.set({
    'http.response.status_code': status,
    ...(caller !== null && { 'crier.workspace.id': caller.workspaceId }),
  });
  span.end(status >= 500 ? String(status) : undefined);
}
