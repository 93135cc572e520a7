import { createMemoryHttpClient, type Cut } from '#adapters/memory/http-client.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '#ports/http-client.ts';

export type Scripted = HttpResponse | Cut;
/** An answer, or a function that makes one of the request. */
export type ScriptedStep = Scripted | ((request: HttpRequest) => Scripted | Promise<Scripted>);

/** An answer with a JSON body. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers, body: JSON.stringify(body) };
}

/**
 * A Network that gives the answers of a script in order, and records the requests. A request beyond the script fails
 * the test.
 */
export function scriptedNetwork(...script: readonly ScriptedStep[]): {
  readonly http: HttpClient;
  readonly asked: readonly HttpRequest[];
} {
  const asked: HttpRequest[] = [];
  const http = createMemoryHttpClient(async (request) => {
    const next = script[asked.length];
    asked.push(request);
    if (next === undefined) throw new Error(`an unexpected request: ${request.method} ${request.url}`);
    return typeof next === 'function' ? next(request) : next;
  });
  return { http, asked };
}
