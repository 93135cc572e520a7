import { describe, expect, test } from 'vitest';
import { HttpFailure, MAX_RESPONSE_BYTES, type HttpClient, type HttpRequest } from '#ports/http-client.ts';

/** A request as the server got it. `path` includes the query; names of headers are in lower case. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `lost`: the server read the request, and its connection ended without an answer. */
export type ServedAnswer =
  { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } | 'lost';

export interface HttpClientUnderTest {
  readonly client: HttpClient;
  /** Where `answer` serves. */
  readonly origin: string;
  /** Where no server listens. */
  readonly unreachable: string;
}

/** What every HttpClient must do. `open` starts a server that answers by `answer`; the adapter's test ends it. */
export function httpClientSuite(
  name: string,
  open: (answer: (request: ServedRequest) => ServedAnswer) => Promise<HttpClientUnderTest>,
): void {
  describe(`${name}: the HttpClient port`, () => {
    answers(open);
    failures(open);
  });
}

type Open = Parameters<typeof httpClientSuite>[1];

/** A server that gives one answer to every request, and the requests that it got. */
async function serving(open: Open, answer: ServedAnswer) {
  const served: ServedRequest[] = [];
  const { client, origin, unreachable } = await open((request) => {
    served.push(request);
    return answer;
  });
  const send = (path: string, request: Partial<HttpRequest> = {}) =>
    client.send({ method: 'GET', url: `${origin}${path}`, timeoutMs: 5_000, ...request });
  return { served, client, origin, unreachable, send };
}

function answers(open: Open): void {
  test.each([
    ['text', 'grüße'],
    ['bytes', new TextEncoder().encode('grüße')],
  ])('a request with a body of %s arrives as it was given', async (_what, body) => {
    const { served, send } = await serving(open, { status: 200, headers: {}, body: '' });
    await send('/a?b=1', { method: 'POST', headers: { 'content-type': 'text/plain', 'x-own': '7' }, body });
    expect(served).toEqual([
      {
        method: 'POST',
        path: '/a?b=1',
        headers: expect.objectContaining({ 'content-type': 'text/plain', 'x-own': '7' }),
        body: 'grüße',
      },
    ]);
  });

  test.each([200, 404, 500])('an answer of status %d is returned with its headers and its body', async (status) => {
    const { send } = await serving(open, { status, headers: { 'x-rate': '7' }, body: '{"ü":1}' });
    expect(await send('/')).toMatchObject({ status, headers: { 'x-rate': '7' }, body: '{"ü":1}' });
  });

  test('a redirect is returned as an answer and not followed', async () => {
    const { served, send } = await serving(open, { status: 302, headers: { location: '/elsewhere' }, body: '' });
    expect(await send('/here')).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
    expect(served).toHaveLength(1);
  });

  test('a body is read up to its limit, and the rest is cut off', async () => {
    const { send } = await serving(open, { status: 200, headers: {}, body: 'a'.repeat(2 * MAX_RESPONSE_BYTES) });
    expect((await send('/')).body.length).toBe(MAX_RESPONSE_BYTES);
  });
}

function failures(open: Open): void {
  test.each(['GET', 'POST'] as const)('a lost %s counts as sent, and is sent once', async (method) => {
    const { served, send } = await serving(open, 'lost');
    const failure = await failureOf(send('/', { method }));
    expect([failure.sent, served.length]).toEqual([true, 1]);
  });

  test('a request without a connection counts as not sent', async () => {
    const { client, unreachable } = await serving(open, 'lost');
    const failure = await failureOf(client.send({ method: 'POST', url: unreachable, body: 'a', timeoutMs: 5_000 }));
    expect(failure.sent).toBe(false);
  });

  test('a failure names the origin, never the path or the query, which may hold secrets', async () => {
    const { origin, send } = await serving(open, 'lost');
    const { message } = await failureOf(send('/secret-path?token=secret-token'));
    expect(message).toContain(origin);
    expect(message).not.toContain('secret');
  });
}

async function failureOf(answer: Promise<unknown>): Promise<HttpFailure> {
  const failure: unknown = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(HttpFailure);
  return failure as HttpFailure;
}
