import { writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServerIdentity } from '#testing/test-certificates.ts';
import { endBySignal, given, serve } from '../child-program.ts';
import { Arrivals } from './arrivals.ts';
import { HOOKS_HOST } from './start-sink.ts';
import { XNetwork } from './x-network.ts';

// Where everything that is measured ends: it stands for the Networks, in their plainest form, for all peers, as X for
// Crier; and for the customers' receivers of webhooks. It notes each arrival, and answers after a millisecond.

const ANSWERS_AFTER_MS = 1;
const X = '/sim/x';

const arrivals = new Arrivals();
const xNetwork = new XNetwork(arrivals);

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const listener: RequestListener = (request, response) => {
  const at = Date.now();
  void (async () => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sink');
    const body = await text(request);
    if (pathname.startsWith(X)) {
      const said = xNetwork.answer({
        method: request.method ?? '',
        path: pathname.slice(X.length),
        query: searchParams,
        authorization: request.headers.authorization ?? '',
        body,
        at,
      });
      if (said?.slow === true) await sleep(ANSWERS_AFTER_MS);
      const { status, body: words, location } = said ?? { status: 404, body: {} };
      return answer(response, status, words, location === undefined ? {} : { location });
    }
    switch (`${request.method} ${pathname}`) {
      case 'POST /publish': {
        const job = JSON.parse(body) as { readonly text: string; readonly account: string };
        arrivals.add(job.text, job.account, at);
        await sleep(ANSWERS_AFTER_MS);
        return answer(response, 200, { permalink: `https://sink.test/${job.account}` });
      }
      case 'POST /hook':
        arrivals.addWebhook();
        await sleep(ANSWERS_AFTER_MS);
        return answer(response, 200, {});
      case 'GET /arrivals':
        return answer(response, 200, arrivals.all);
      case 'GET /counts':
        return answer(response, 200, arrivals.counts);
      case 'POST /clear':
        arrivals.clear();
        return answer(response, 200, {});
      // Crier looks whether an endpoint is there when it is registered.
      case 'HEAD /hook':
      case 'GET /health':
        return answer(response, 200, {});
      default:
        console.error(`${request.method} ${request.url}: the sink has no such address`);
        return answer(response, 404, {});
    }
  })();
};

const identity = createServerIdentity([HOOKS_HOST]);
writeFileSync(given('SINK_AUTHORITY_FILE'), identity.ca);
const hooks = createServer({ cert: identity.certificate, key: identity.key }, listener);
hooks.keepAliveTimeout = 60_000;
hooks.listen(Number(given('SINK_HOOKS_PORT')), '127.0.0.1');
serve(listener);
endBySignal(async () => {});
