import type { ApiProblem } from '#http-server/api-problem.ts';
import { docUrlOf } from '#http-server/problem-body.ts';
import { statusOf, type ErrorCode } from '#schemas/http/errors.ts';
import type { Tool } from '#schemas/http/tools.ts';
import type { AuthenticationFailure } from '../authenticate.ts';
import { UNAVAILABLE } from '#use-cases/outcome.ts';
import { challengeOf, resourceOf } from '../resources.ts';

/** An answer of the gate, before the protocol sees the request. */
export interface GateRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** For operators. */
  readonly reason: RefusalReason;
  /** The cause, for the log of operators; never part of an answer. */
  readonly behind?: string;
}

export type RefusalReason =
  | `token_${Exclude<AuthenticationFailure['reason'], 'key'> | 'ended'}`
  | 'api_key'
  | 'insufficient_scope'
  | 'host'
  | 'origin'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'too_large'
  | 'malformed'
  | 'unavailable';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
/** JSON-RPC's code for errors that the server defines. */
const SERVER_ERROR = -32_000;
const PARSE_ERROR = -32_700;

/** No token, or none that is good here. In the form of OAuth, where a client looks for how to get one. */
export function unauthorized(
  reason: AuthenticationFailure['reason'] | 'ended',
  { message, publicUrl }: { readonly message: string; readonly publicUrl: string },
): GateRefusal {
  const about = reason === 'missing' ? {} : ({ error: 'invalid_token', description: message } as const);
  const challenge = challengeOf({ publicUrl, resource: 'mcp', scopes: ['posts:schedule'], ...about });
  return {
    status: 401,
    headers: { ...JSON_TYPE, 'WWW-Authenticate': challenge },
    body: { error: 'invalid_token', error_description: message },
    reason: reason === 'key' ? 'api_key' : `token_${reason}`,
  };
}

/** Names all scopes of the tool: the client asks for them at once, with those that it has. */
export function insufficientScope({ name, scopes }: Pick<Tool, 'name' | 'scopes'>, publicUrl: string): GateRefusal {
  const description = `${name} needs the permissions ${scopes.join(' and ')}. Approve the app again with all of them ticked.`;
  const challenge = challengeOf({ publicUrl, resource: 'mcp', scopes, error: 'insufficient_scope', description });
  return {
    status: 403,
    headers: { ...JSON_TYPE, 'WWW-Authenticate': challenge },
    body: { error: 'insufficient_scope', error_description: description, scope: scopes.join(' ') },
    reason: 'insufficient_scope',
  };
}

/** 403 for Host too, as MCP's libraries answer it: 421 has some clients try again on another connection. */
export function originRefused(which: 'host' | 'origin', publicUrl: string): GateRefusal {
  const message =
    which === 'host'
      ? `The request names another host than this server's. Its address is ${resourceOf('mcp', publicUrl)}.`
      : 'Pages of this origin may not use the server. Its operator can allow it by CRIER_ALLOWED_ORIGINS.';
  return { status: 403, headers: JSON_TYPE, body: rpcError(SERVER_ERROR, message), reason: which };
}

export const METHOD_REFUSED: GateRefusal = {
  status: 405,
  headers: { ...JSON_TYPE, Allow: 'POST, OPTIONS' },
  body: rpcError(SERVER_ERROR, 'Method not allowed. Messages are sent by POST; there are no sessions and no streams.'),
  reason: 'method_not_allowed',
};

/** A body that can not be read as JSON, or is too large. */
export function bodyRefused({ code, message }: ApiProblem): GateRefusal {
  const reason = code === 'too_large' ? 'too_large' : 'malformed';
  const status = statusOf(code satisfies ErrorCode);
  return { status, headers: JSON_TYPE, body: rpcError(status === 400 ? PARSE_ERROR : SERVER_ERROR, message), reason };
}

/** Over a budget. `id`: of the message that is refused, where it is a single request. */
export function tooMany(
  { code, message, retryAfterSeconds }: ApiProblem,
  { id, publicUrl }: { readonly id: string | number | null; readonly publicUrl: string },
): GateRefusal {
  return {
    status: 429,
    headers: { ...JSON_TYPE, 'Retry-After': String(retryAfterSeconds) },
    body: rpcError(SERVER_ERROR, message, {
      id,
      data: { code, retryAfterSeconds, docUrl: docUrlOf(code, publicUrl) },
    }),
    reason: 'rate_limited',
  };
}

/** Whoever asks can not be looked up or counted right now. */
export function down(publicUrl: string): GateRefusal {
  const { code, message, retryAfterSeconds } = UNAVAILABLE;
  return {
    status: statusOf(code),
    headers: { ...JSON_TYPE, 'Retry-After': String(retryAfterSeconds) },
    body: rpcError(SERVER_ERROR, message, { data: { code, docUrl: docUrlOf(code, publicUrl) } }),
    reason: 'unavailable',
  };
}

function rpcError(
  code: number,
  message: string,
  { id = null, data }: { readonly id?: string | number | null; readonly data?: object } = {},
): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
