import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientWait } from './client-wait.ts';

/** The headers by which the protocol goes. */
const READ = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
const URL_OF_THIS = 'http://localhost/mcp';

/**
 * Has a request of Node answered in the form of web requests, without its body, which was read before. The answer is
 * written in one piece: nothing that is served here streams, and a stream of one part costs more than the call of a
 * tool. `signal` of the request is aborted when the client leaves before it has its answer.
 */
export async function exchangeAsWeb(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const headers = new Headers();
  for (const name of READ) {
    const value = incoming.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const waiting = new ClientWait(outgoing);
  const response = await answer(new Request(URL_OF_THIS, { method: 'POST', headers, signal: waiting.signal }));
  const body = Buffer.from(await response.arrayBuffer());
  if (!waiting.end()) return;
  const length = body.length === 0 ? {} : { 'Content-Length': body.length };
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...length });
  outgoing.end(body);
}
