import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Amount, LoadJob, LoadResult, Requests } from './load-job.ts';
import { quantile } from './quantiles.ts';

// The client side of a run, in a process of its own: a client that shared its event loop with the server would measure
// itself too.

interface SentRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

const DAY_MS = 86_400_000;
const TEXT_BYTES = 300;
const REVISION = '2026-07-28';

function composer(requests: Requests): (index: number) => SentRequest {
  switch (requests.kind) {
    case 'get':
      return () => ({
        method: 'GET',
        path: requests.path,
        headers: { authorization: `Bearer ${requests.key}` },
        body: null,
      });
    case 'bare':
      return (index) => ({
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: filled(`bare ${index}`) }),
      });
    case 'call':
      return (index) => callOf(requests, index);
    case 'create': {
      const { homes, label, due } = requests;
      return (index) => {
        const { keys, channelIds } = homes[index % homes.length]!;
        const key = keys[Math.floor(index / homes.length) % keys.length]!;
        const post =
          'from' in due
            ? postOf({ label, channelIds, from: due.from }, index)
            : {
                ...draftOf({ label, channelIds }, index),
                scheduledAt: new Date(Date.now() + due.afterMs).toISOString(),
              };
        const body = JSON.stringify(post);
        return {
          method: 'POST',
          path: '/api/posts',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body,
        };
      };
    }
  }
}

type Call = Extract<Requests, { readonly kind: 'call' }>;

/** As clients of the protocol's revision without sessions send it. */
function callOf({ tool, token, due }: Call, index: number): SentRequest {
  const params = {
    name: tool,
    arguments: due === null ? {} : postOf(due, index),
    _meta: {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/call', params }),
  };
}

type Draft = Omit<NonNullable<Call['due']>, 'from'>;

function draftOf({ label, channelIds }: Draft, index: number): object {
  return { text: filled(`${label} ${index}`), channelIds };
}

function postOf({ from, ...draft }: NonNullable<Call['due']>, index: number): object {
  // Spread over a month, so that no minute holds more than others.
  const scheduledAt = new Date(from + ((index * 7_919_003) % (30 * DAY_MS))).toISOString();
  return { ...draftOf(draft, index), scheduledAt };
}

/** A Post as long as some sentences; x allows 280. */
function filled(start: string): string {
  return `${start} ${'lorem ipsum dolor sit amet '.repeat(12)}`.slice(0, TEXT_BYTES - 40);
}

class Run {
  readonly latenciesMs: number[] = [];
  readonly failures: Record<string, number> = {};
  /** The first body of each status. */
  readonly refusals: Record<string, string> = {};
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async send(sent: SentRequest, from: number): Promise<void> {
    try {
      const { statusCode, body } = await this.#pool.request({ ...sent });
      if (statusCode < 300) await body.dump({ limit: Number.MAX_SAFE_INTEGER });
      else {
        this.failures[statusCode] = (this.failures[statusCode] ?? 0) + 1;
        const said = await body.text();
        this.refusals[statusCode] ??= said;
      }
    } catch {
      this.failures['lost'] = (this.failures['lost'] ?? 0) + 1;
    }
    this.latenciesMs.push(performance.now() - from);
  }
}

type Next = () => SentRequest;

/** Each client sends its next request when the last one was answered. */
async function inTurn(run: Run, clients: number, amount: Amount, next: Next): Promise<void> {
  const until = performance.now() + (amount.seconds ?? Infinity) * 1000;
  let left = amount.requests ?? Infinity;
  const client = async (): Promise<void> => {
    while (left > 0 && performance.now() < until) {
      left--;
      const sent = next();
      await run.send(sent, performance.now());
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Sent at instants fixed before: a late client is late, and no later instant moves. */
async function byPlan(run: Run, ratePerSecond: number, amount: Amount, next: Next): Promise<void> {
  const count = Math.min(amount.requests ?? Infinity, Math.ceil((amount.seconds ?? Infinity) * ratePerSecond));
  const start = performance.now();
  const sending: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const at = start + (index * 1000) / ratePerSecond;
    const waitMs = at - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    sending.push(run.send(next(), at));
  }
  await Promise.all(sending);
}

async function main(): Promise<void> {
  const job = JSON.parse(await text(process.stdin)) as LoadJob;
  const pool = new Pool(job.url, { connections: job.clients, pipelining: 1 });
  const compose = composer(job.requests);
  let index = 0;
  const next = () => compose(index++);
  const work = (run: Run, amount: Amount) =>
    job.ratePerSecond === null ? inTurn(run, job.clients, amount, next) : byPlan(run, job.ratePerSecond, amount, next);
  const warming = new Run(pool);
  await work(warming, job.warmUp);
  const run = new Run(pool);
  const from = performance.now();
  await work(run, job.measured);
  const seconds = (performance.now() - from) / 1000;
  await pool.close();
  const { latenciesMs } = run;
  const withWarmUp = <V>(of: (part: Run) => Readonly<Record<string, V>>): Record<string, V> => ({
    ...of(run),
    ...Object.fromEntries(Object.entries(of(warming)).map(([status, value]) => [`warm-up ${status}`, value])),
  });
  const result: LoadResult = {
    requests: latenciesMs.length,
    sent: warming.latenciesMs.length + latenciesMs.length,
    perSecond: latenciesMs.length / seconds,
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
    max: quantile(latenciesMs, 1),
    failures: withWarmUp((part) => part.failures),
    refusals: withWarmUp((part) => part.refusals),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

await main();
