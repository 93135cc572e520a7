import type { AuthAnswer, Tokens } from '../contract/adapter.ts';
import { at, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { codeOf } from './errors.ts';
import { refusalOf } from './token-answer.ts';

/** A call to one of TikTok's endpoints for tokens, on behalf of our app. */
type OAuthCall = (endpoint: 'token' | 'revoke', fields: Readonly<Record<string, string>>) => Promise<CallResult>;

/**
 * Takes the app from those that the account is connected with. TikTok wants an access token for that, and those live
 * for hours: one that it refuses is refreshed first, for the refresh token would still hold. Tokens that cannot be
 * refreshed are dead, which is what was wanted.
 */
export async function revoke(
  ask: OAuthCall,
  { accessToken, refreshToken }: Tokens,
  clientSecret: string,
): Promise<AuthAnswer<true>> {
  const secrets = [clientSecret, accessToken, refreshToken ?? ''];
  const first = ended(await ask('revoke', { token: accessToken }), secrets);
  if (first.kind !== 'refused') return first;
  if (refreshToken === null) return { kind: 'ok', value: true };
  const refreshed = await ask('token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  const fresh = refreshed.kind === 'answered' ? textAt(refreshed.json, 'access_token') : null;
  if (fresh !== null) return ended(await ask('revoke', { token: fresh }), [...secrets, fresh]);
  const refusal = refusedBy(refreshed, secrets);
  return refusal.kind === 'refused' ? { kind: 'ok', value: true } : refusal;
}

/** A success has no body, an empty object, or the envelope of other endpoints. */
function ended(called: CallResult, secrets: readonly string[]): AuthAnswer<true> {
  const isDone =
    called.kind === 'answered' &&
    called.status === 200 &&
    (called.body.trim() === '' || called.json !== null) &&
    (at(called.json, 'error') === undefined || codeOf(called) === 'ok');
  return isDone ? { kind: 'ok', value: true } : refusedBy(called, secrets);
}

function refusedBy(called: CallResult, secrets: readonly string[]): AuthAnswer<never> {
  return called.kind === 'lost'
    ? { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) }
    : refusalOf(called, secrets);
}
