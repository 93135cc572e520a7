import type { AuthAnswer, Tokens } from '../contract/adapter.ts';
import { isTokenTrouble } from '../contract/token-trouble.ts';
import { at, summaryOf, textAt, type HttpAnswer, type CallResult } from '../http/call.ts';
import { codeOf } from './errors.ts';
import { NEEDED_SCOPES } from './scopes.ts';

/**
 * These say that our app, or its request, is wrong: no person at the account can mend that, and nothing was consumed.
 */
const OURS: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type']);

/**
 * Tokens in an answer to a code or a refresh token. `old`: the refresh token that goes on where the answer has no new
 * one.
 */
export function tokensOf(
  called: CallResult,
  secrets: readonly string[],
  now: number,
  old: string | null,
): AuthAnswer<Tokens> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  // These endpoints answer refusals with 200, too.
  if (called.status !== 200 || at(called.json, 'error') !== undefined) return refusalOf(called, secrets);
  const [accessToken, refreshToken, seconds] = [
    textAt(called.json, 'access_token'),
    textAt(called.json, 'refresh_token') ?? old,
    at(called.json, 'expires_in'),
  ];
  if (accessToken === null || refreshToken === null || typeof seconds !== 'number') {
    return { kind: 'unavailable', sent: true, summary: summaryOf(called, 'a token answer without tokens') };
  }
  const given = textAt(called.json, 'scope')?.split(/[\s,]+/) ?? NEEDED_SCOPES;
  const missing = NEEDED_SCOPES.filter((scope) => !given.includes(scope));
  if (missing.length > 0)
    return { kind: 'refused', summary: summaryOf(called, `these permissions were not given: ${missing.join(', ')}`) };
  return { kind: 'ok', value: { accessToken, refreshToken, expiresAt: now + seconds * 1000 } };
}

export function refusalOf(called: HttpAnswer, secrets: readonly string[]): AuthAnswer<never> {
  // Limits come in the envelope of the other endpoints.
  const error = textAt(called.json, 'error') ?? codeOf(called);
  const detail =
    textAt(called.json, 'error_description') ??
    textAt(called.json, 'error', 'message') ??
    error ??
    `HTTP ${called.status}`;
  const summary = summaryOf(called, detail, secrets);
  if (called.status === 429 || error === 'rate_limit_exceeded' || OURS.has(error ?? ''))
    return { kind: 'unavailable', sent: false, summary };
  const isRefusal = called.status < 500 && called.status !== 408 && error !== null && !isTokenTrouble(error);
  return isRefusal ? { kind: 'refused', summary } : { kind: 'unavailable', sent: true, summary };
}
