/**
 * Every error code the API answers with. Codes are for programs and never change their meaning; messages are for
 * people. A code has one status, so that a client may go by either.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    doc: 'Malformed JSON, an unknown field or a wrong type; the message names the field',
  },
  unauthorized: {
    status: 401,
    doc: "The key, or the app's token, is missing, unknown, revoked or expired, or the token is for another resource",
  },
  forbidden: { status: 403, doc: 'The key lacks a permission; the message names it' },
  email_not_verified: { status: 403, doc: 'The Member behind the key has not verified the e-mail address yet' },
  not_found: { status: 404, doc: 'There is no such thing in this Workspace' },
  method_not_allowed: { status: 405, doc: 'The path exists, but not with this method; see the Allow header' },
  channel_disconnected: { status: 409, doc: 'The Channel of the Variant is not connected; the Variant stays failed' },
  media_unavailable: { status: 409, doc: 'An upload is unknown, or in a Post already' },
  upload_incomplete: { status: 409, doc: 'An upload has not arrived whole' },
  not_cancellable: { status: 409, doc: 'No Variant of the Post can be cancelled any more' },
  not_retryable: { status: 409, doc: 'The Variant has not failed, or nothing is left to retry it with' },
  key_taken: { status: 409, doc: 'An API key that was chosen can not be given out' },
  too_large: {
    status: 413,
    doc: 'The request body, or one Post, is larger than is taken; of an upload, larger than reserved',
  },
  unsupported_media_type: {
    status: 415,
    doc: 'The body must be application/json in UTF-8, not compressed; of an upload, the type that was reserved',
  },
  range_not_satisfiable: { status: 416, doc: 'None of the bytes that were asked for is in the file' },
  post_refused: { status: 422, doc: 'The Post breaks rules of its Channels; `blockers` says which' },
  too_early: { status: 422, doc: '`scheduledAt` is not far enough ahead' },
  too_late: { status: 422, doc: '`scheduledAt` is more than two years ahead' },
  plan_limit: { status: 422, doc: 'The Plan does not allow it; `upgrade` names the Plan that does' },
  limit_reached: { status: 422, doc: 'A fixed limit of the service is reached' },
  unsafe_url: { status: 422, doc: 'The address is not https on the standard port of the public internet' },
  media_unacceptable: { status: 422, doc: 'The file is of a type or size that cannot be taken' },
  idempotency_key_reused: { status: 422, doc: 'The Idempotency-Key was sent before with another body' },
  rate_limited: {
    status: 429,
    doc: 'Too many requests in a minute, or addresses of files; Retry-After says when to try again',
  },
  outcome_unknown: { status: 503, doc: 'It may have been done or not. Sending the same Post again is safe' },
  unavailable: { status: 503, doc: 'Nothing was done; try again after Retry-After seconds' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly doc: string }>>;

export type ErrorCode = keyof typeof ERRORS;

/** The path of the page about a code, below the public address; answers carry it as `docUrl`. */
export function errorPagePathOf(code: ErrorCode): string {
  return `/developers/errors/${code}`;
}

export function statusOf(code: ErrorCode): number {
  return ERRORS[code].status;
}
