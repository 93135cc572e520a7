import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '#ports/http-client.ts';

/**
 * Instead of an answer. `before`: the connection could not be made, no byte left. `after`: the request left and the
 * connection was lost; whether the other side acted on it is the handler's secret.
 */
export interface Cut {
  readonly cut: 'before' | 'after';
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse | Cut>;

/**
 * A HttpClient without sockets: every request goes to `handler`. Time-outs are the handler's to play, as `cut:
 * 'after'`.
 */
export function createMemoryHttpClient(handler: HttpHandler): HttpClient {
  return {
    send: async (request) => {
      const answer = await handler(request);
      if ('cut' in answer)
        throw new HttpFailure(
          `${request.method} ${new URL(request.url).origin}: connection lost`,
          answer.cut === 'after',
        );
      return answer;
    },
  };
}
