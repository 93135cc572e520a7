import { createHmac, timingSafeEqual } from 'node:crypto';
import { macKey } from '#domain/mac-key.ts';

/** Places in lists, as clients hand them back to us. */
export interface SignedCursors {
  /** `scope`: the list that the cursor is for. */
  seal(place: Uint8Array, scope: readonly unknown[]): string;
  /** Null for a cursor that is malformed, or of another list or installation. */
  open(cursor: string, scope: readonly unknown[]): Uint8Array | null;
}

const TAG_BYTES = 16;
const MAX_CURSOR_LENGTH = 1_024;
const BASE64URL = /^[\w-]+$/;

/**
 * Cursors are the place and a MAC of it and the scope, base64url, under a key derived from the installation's `secret`
 * for `purpose`. Those of `previousSecrets` open too.
 */
export function createSignedCursors(
  secret: string,
  purpose: string,
  previousSecrets: readonly string[] = [],
): SignedCursors {
  const keys = [secret, ...previousSecrets].map((each) => macKey(each, purpose));
  const tagOf = (place: Uint8Array, scope: readonly unknown[], key = keys[0]!) =>
    createHmac('sha256', key).update(place).update(JSON.stringify(scope)).digest().subarray(0, TAG_BYTES);
  return {
    seal: (place, scope) => Buffer.concat([place, tagOf(place, scope)]).toString('base64url'),
    open(cursor, scope) {
      if (cursor.length > MAX_CURSOR_LENGTH || !BASE64URL.test(cursor)) return null;
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length <= TAG_BYTES) return null;
      const place = bytes.subarray(0, -TAG_BYTES);
      // The last character may have unused bits: only the spelling that `seal` returned is valid.
      if (bytes.toString('base64url') !== cursor) return null;
      const given = bytes.subarray(-TAG_BYTES);
      return keys.some((key) => timingSafeEqual(given, tagOf(place, scope, key))) ? place : null;
    },
  };
}
