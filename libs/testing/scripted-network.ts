import { expect } from 'vitest';
import { createMemoryHttpClient, type Cut } from '#adapters/memory/http-client.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '#ports/http-client.ts';
import { ADAPTER_DIFFERENCES } from './vendor-requests/differences.ts';
import { assertVendorRequest } from './vendor-requests/vendor-requests.ts';

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
 * the test, and so does one that the Network's vendor does not document.
 */
export function scriptedNetwork(...script: readonly ScriptedStep[]): {
  readonly http: HttpClient;
  readonly asked: readonly HttpRequest[];
} {
  const asked: HttpRequest[] = [];
  const http = createMemoryHttpClient(async (request) => {
    const next = script[asked.length];
    asked.push(request);
    assertVendorRequest(networkOfTest(), request, ADAPTER_DIFFERENCES);
    if (next === undefined) throw new Error(`an unexpected request: ${request.method} ${request.url}`);
    return typeof next === 'function' ? next(request) : next;
  });
  return { http, asked };
}

const ROOM = new RegExp(`/libs/networks/(${NETWORKS.join('|')})/`);

/** The Network whose adapter the running test is of; null: none, or several. The hosts of tests are made up. */
function networkOfTest(): Network | null {
  const [, room] = ROOM.exec(expect.getState().testPath ?? '') ?? [];
  return room === undefined ? null : (room as Network);
}
