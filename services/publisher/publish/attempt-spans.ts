import { postIdOfVariant } from '#domain/post/ids.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Tracer } from '#ports/tracer.ts';
import { PUBLISH } from '#tables/declarations/topics.ts';
import type { AttemptJob } from './attempt.ts';
import type { CallKind } from './machine-options.ts';

/** One run of an attempt, as a part of the trace that brought its job. */
export async function inRunSpan<Job extends AttemptJob>(
  tracer: Tracer,
  job: Job,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const topic = PUBLISH[job.network].name;
  const span = tracer.start(`process ${topic}`, {
    kind: 'consumer',
    parent: job.trace,
    attributes: {
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': topic,
      'crier.network': job.network,
      'crier.workspace.id': job.workspaceId,
      'crier.post.id': postIdOfVariant(job.variantId),
      'crier.variant.id': job.variantId,
      'crier.attempt': job.attempt,
      'crier.why': job.why,
    },
  });
  try {
    await work(span.trace === undefined ? job : { ...job, runTrace: span.trace });
    span.end();
  } catch (error) {
    span.end(error instanceof Error ? error.name : 'unknown');
    throw error;
  }
}

/**
 * A span for each request to a Network. It says the host and the step of the attempt, never the path, the query or a
 * body: those have ids of accounts, texts and tokens in them. Networks are sent no `traceparent`: it is of no use to
 * them, and would tell strangers which of their requests belong together.
 */
export function tracedClient(
  http: HttpClient,
  tracer: Tracer,
  { kind, job }: { readonly kind: CallKind; readonly job: AttemptJob },
): HttpClient {
  return {
    send: async (request) => {
      const span = tracer.start(request.method, {
        kind: 'client',
        parent: job.runTrace ?? job.trace,
        attributes: {
          'http.request.method': request.method,
          'server.address': URL.parse(request.url)?.hostname ?? '',
          'crier.network': job.network,
          'crier.operation': kind,
        },
      });
      try {
        const answer = await http.send(request);
        span.set({ 'http.response.status_code': answer.status });
        span.end(answer.status >= 400 ? String(answer.status) : undefined);
        return answer;
      } catch (error) {
        span.end(error instanceof Error ? error.name : 'unknown');
        throw error;
      }
    },
  };
}
