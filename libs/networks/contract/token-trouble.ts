/**
 * Errors by which a Network says that it could not handle a request for tokens right now, under whatever HTTP status:
 * 400 as well as 200 or 503. They tell nothing of the tokens.
 */
const TROUBLE: ReadonlySet<string> = new Set([
  'server_error',
  'temporarily_unavailable',
  'internal_failure',
  'internal_error',
  'rate_limit_exceeded',
]);

/** `error`: of an answer in the shape of RFC 6749, 5.2; null: it has none. */
export function isTokenTrouble(error: string | null): boolean {
  return error !== null && TROUBLE.has(error);
}
