import { httpClientSuite, type ServedRequest } from '#port-suites/http-client.ts';
import type { HttpRequest } from '#ports/http-client.ts';
import { createMemoryHttpClient } from './http-client.ts';

const ORIGIN = 'https://network.test';
const UNREACHABLE = 'https://unreachable.test';

httpClientSuite('memory HTTP client', async (answer) => ({
  client: createMemoryHttpClient(async (request) => {
    if (request.url.startsWith(UNREACHABLE)) return { cut: 'before' };
    const answered = answer(servedRequest(request));
    return answered === 'lost' ? { cut: 'after' } : answered;
  }),
  origin: ORIGIN,
  unreachable: UNREACHABLE,
}));

function servedRequest({ method, url, headers = {}, body = '' }: HttpRequest): ServedRequest {
  return { method, path: url.slice(ORIGIN.length), headers, body: Buffer.from(body).toString() };
}
