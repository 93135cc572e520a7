/**
 * Bodies are JSON of today's format number; an empty body is a void one: the row counts as absent. A release that
 * raises the number still meets heads that owe rows of the one before, and writes those in it (see `relayPending`): the
 * JSON of a value stays as it is.
 */
export const BODY_FORMAT = 1;
export const VOID_BODY = new Uint8Array(0);

export function encodeBody(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** null for a void body. Throws on a body of a format this release does not know. */
export function decodeBody<T>(row: { readonly body: Uint8Array; readonly format: number }): T | null {
  if (row.body.length === 0) return null;
  if (row.format !== BODY_FORMAT)
    throw new Error(`a row of format ${row.format} was written by a newer release; this one reads ${BODY_FORMAT}`);
  return JSON.parse(Buffer.from(row.body.buffer, row.body.byteOffset, row.body.byteLength).toString('utf8')) as T;
}
