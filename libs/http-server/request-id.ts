/** What a client may call its request so that we call it the same. */
const KEPT = /^[\w.-]{1,200}$/;
const MAX_LOGGED = 200;

export interface RequestNames {
  /** In the answer, and in every line about the request. */
  readonly requestId: string;
  /** What the client sent and can not be the id; null: nothing. */
  readonly clientRequestId: string | null;
}

/** `own`: the id that the request has where its client sent no usable X-Request-Id. */
export function requestNamesOf(sent: string | readonly string[] | undefined, own: string): RequestNames {
  const given = typeof sent === 'string' ? sent : (sent?.join(', ') ?? '');
  if (KEPT.test(given)) return { requestId: given, clientRequestId: null };
  return { requestId: own, clientRequestId: given === '' ? null : given.slice(0, MAX_LOGGED) };
}
