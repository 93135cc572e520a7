import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import type { HttpClient, HttpRequest } from '#ports/http-client.ts';
import { textOf } from './exchange.ts';
import type { Sandbox } from './sandbox.ts';
import { withAdapterChecks } from './vendor-checks.fixture.ts';

/**
 * Access to a sandbox without sockets. A cut is a lost answer to the caller, whatever the sandbox did before it. `seen`
 * is called with every request. One that the Network's vendor does not document fails the test.
 */
export function sandboxHttp(sandbox: Sandbox, seen: (request: HttpRequest) => void = () => {}): HttpClient {
  const checked = withAdapterChecks(sandbox);
  return createMemoryHttpClient(async (request) => {
    seen(request);
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : (request.body ?? new Uint8Array());
    const outcome = await checked.handle({ ...request, headers: request.headers ?? {}, body });
    return 'cut' in outcome ? { cut: 'after' } : { ...outcome, body: textOf(outcome) };
  });
}
