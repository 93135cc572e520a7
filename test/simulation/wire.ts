import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import type { HttpClient, HttpRequest } from '#ports/http-client.ts';
import { textOf } from '#services/sandbox/exchange.ts';
import type { Sandbox } from '#services/sandbox/sandbox.ts';
import { withAdapterChecks } from '#services/sandbox/vendor-checks.fixture.ts';
import type { SimulationEngine, Owner } from './engine.ts';
import type { FaultPlan } from './faults.ts';
import type { WireAnswer } from './witness.ts';

/** A container of Threads that can not be published any more. */
const FAILED_LATER = /"status":\s*"(ERROR|EXPIRED)"/;

/**
 * One process's access to the Networks. A request arrives within its time-out, whatever happens to its sender meanwhile
 * (after a crash it may not arrive); the answer may come too late or be cut. A request that the Network's vendor does
 * not document fails the run.
 */
export function createWire(
  engine: SimulationEngine,
  owner: Owner,
  { sandbox, accountOf }: { readonly sandbox: Sandbox; readonly accountOf: (token: string) => string | null },
  faults: () => FaultPlan['request'],
  onAnswer: (answer: WireAnswer) => void,
  onBoundary: () => void,
): HttpClient {
  const checked = withAdapterChecks(sandbox);
  return createMemoryHttpClient(async (request) => {
    const label = `${owner.name} ${request.method} ${new URL(request.url).pathname}`;
    onBoundary();
    const sentAt = engine.now;
    const slow = engine.chance(faults().slow);
    const thereMs = slow ? engine.between(0, request.timeoutMs) : Math.min(engine.latencyMs(), request.timeoutMs);
    await engine.pass({ label, owner, delayMs: thereMs, sent: 'yes' });
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : (request.body ?? new Uint8Array(0));
    const outcome = await checked.handle({
      method: request.method,
      url: request.url,
      headers: request.headers ?? {},
      body,
    });
    const cut = engine.chance(faults().cut);
    const backMs = slow ? engine.between(0, request.timeoutMs) : engine.latencyMs();
    const leftMs = Math.max(0, sentAt + request.timeoutMs - engine.now);
    await engine.pass({ label: `${label} answers`, owner, delayMs: Math.min(backMs, leftMs) });
    onBoundary();
    const answer =
      cut || backMs > leftMs
        ? ({ cut: 'after' } as const)
        : 'cut' in outcome
          ? outcome
          : { ...outcome, body: textOf(outcome) };
    const status = 'cut' in answer ? 0 : answer.status;
    const isBad = 'cut' in answer || answer.status >= 400 || FAILED_LATER.test(answer.body);
    const { pathname } = new URL(request.url);
    const network = pathname.split('/')[2] ?? '';
    const accountId = accountIn(request, accountOf);
    onAnswer({ network, path: pathname, accountId, by: owner.name, at: engine.now, status, isBad });
    return answer;
  });
}

const TOKEN = /(?:bearer |oauth |access_token=|refresh_token=)([^&\s"]+)/i;

function accountIn(
  { url, headers = {}, body }: HttpRequest,
  accountOf: (token: string) => string | null,
): string | null {
  const places = [headers['authorization'] ?? '', url, typeof body === 'string' ? body : ''];
  for (const place of places) {
    const token = TOKEN.exec(place)?.[1];
    const found = token === undefined ? null : accountOf(decodeURIComponent(token));
    if (found !== null) return found;
  }
  return null;
}
