import type { Network } from '#domain/network.ts';
import type { Incoming, SandboxAnswer } from './exchange.ts';

/**
 * The Networks whose front end answers 400 to a client that does not say who it is, Meta's; those of others answer 403.
 */
const BAD_REQUEST: ReadonlySet<Network> = new Set(['facebook', 'instagram', 'threads']);
const WORDS = { 400: 'Bad Request', 403: 'Access Denied' } as const;

/** The name of a call that a front end refused, in the list of calls. */
export const FRONT_END_CALL = 'front_end';

/**
 * The refusal of a request without a User-Agent: a page, in no shape of the API, because the API never saw the request.
 * Null: it has one.
 */
export function refuseUnnamed(network: Network, request: Incoming): SandboxAnswer | null {
  if (request.header('user-agent').trim() !== '') return null;
  const status = BAD_REQUEST.has(network) ? 400 : 403;
  const body = `<html><head><title>${WORDS[status]}</title></head><body><h1>${WORDS[status]}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }, body };
}
