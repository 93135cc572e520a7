import { once } from 'node:events';
import { createServer, request, type RequestOptions } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeaderProxy extends AsyncDisposable {
  readonly url: string;
  /** Requests that were passed on. */
  requests(): number;
}

/**
 * Passes requests on to `target` with further headers, for suites that can not send a header of their own. Host and
 * Origin stay what they are, but where they name the proxy, which its clients take for the server, they name the
 * target.
 */
export async function startHeaderProxy(
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<HeaderProxy> {
  let requests = 0;
  const { hostname, port, host: targetHost } = new URL(target);
  const server = createServer((incoming, response) => {
    requests += 1;
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const renamed = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) =>
        name === 'host' || name === 'origin' ? [name, String(value).replace(own, targetHost)] : [name, value],
      ),
    );
    const options: RequestOptions = {
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...renamed, ...headers },
    };
    const outgoing = request(options, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
