import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { send } from '#testing/crier-clients.ts';

export interface ReadyProxy extends AsyncDisposable {
  readonly url: string;
  /** The processes that requests go to now. */
  inRotation(): readonly CrierUnderTest[];
  /** Requests that were passed to nobody, or whose connection broke: none is sent a second time. */
  readonly refused: readonly string[];
}

/** A busy process answers late now and then: only so many looks without any answer take it out of rotation. */
const UNANSWERED_LOOKS = 10;

/**
 * A load balancer such as a Kubernetes Service: it asks each process every `everyMs` whether it is ready, passes
 * requests in turn to those that are, keeps connections open, and never sends a request a second time.
 */
export async function startReadyProxy(processes: readonly CrierUnderTest[], everyMs: number): Promise<ReadyProxy> {
  const agent = new Agent({ keepAlive: true });
  const refused: string[] = [];
  let ready: readonly CrierUnderTest[] = processes;
  let turn = 0;

  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const refuse = (why: string): void => {
      refused.push(`${incoming.method} ${incoming.url}: ${why}`);
      if (!response.headersSent) response.writeHead(502).end();
      else response.destroy();
    };
    const target = ready[turn++ % Math.max(1, ready.length)];
    if (target === undefined) return refuse('no process is ready');
    const { method, url: path, headers } = incoming;
    const outgoing = request({ agent, host: '127.0.0.1', port: target.ports.api, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    outgoing.once('error', (error) => refuse(`${target.name}: ${error.message}`));
    incoming.pipe(outgoing);
  };

  const unanswered = new Map<CrierUnderTest, number>();
  const isReady = async (process: CrierUnderTest): Promise<boolean> => {
    const url = `http://127.0.0.1:${process.ports.admin}/health/ready`;
    try {
      const { status } = await send('GET', url, undefined, { withinMs: 1_000 });
      unanswered.set(process, 0);
      return status === 200;
    } catch (error) {
      const looks = (unanswered.get(process) ?? 0) + 1;
      unanswered.set(process, looks);
      return isTimeout(error) && looks < UNANSWERED_LOOKS && ready.includes(process);
    }
  };
  const look = async (): Promise<void> => {
    const answers = await Promise.all(processes.map(isReady));
    ready = processes.filter((_, index) => answers[index]);
  };
  const looking = setInterval(() => void look(), everyMs);

  const server = createServer(pass);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await look();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inRotation: () => ready,
    refused,
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
