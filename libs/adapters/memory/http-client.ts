import {
  HttpFailure,
  MAX_RESPONSE_BYTES,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from '#ports/http-client.ts';

/**
 * A connection failure in place of an answer. `before`: the connection could not be made, and no byte was sent.
 * `after`: the request was sent and the connection was lost; the handler decides whether the other side acted on it.
 */
export interface Cut {
  readonly cut: 'before' | 'after';
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse | Cut>;

/** An HttpClient without sockets: every request goes to `handler`. A handler plays a time-out as `cut: 'after'`. */
export function createMemoryHttpClient(handler: HttpHandler): HttpClient {
  return {
    send: async (request) => {
      const answer = await handler(request);
      if ('cut' in answer)
        throw new HttpFailure(
          `${request.method} ${new URL(request.url).origin}: connection lost`,
          answer.cut === 'after',
        );
      return Buffer.byteLength(answer.body) > MAX_RESPONSE_BYTES ? { ...answer, body: cutOff(answer.body) } : answer;
    },
  };
}

function cutOff(body: string): string {
  return new TextDecoder().decode(Buffer.from(body).subarray(0, MAX_RESPONSE_BYTES));
}
