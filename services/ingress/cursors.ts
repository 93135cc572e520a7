import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isPostId } from '#domain/post/ids.ts';

/** The list that a cursor belongs to. A cursor is refused for any other list. */
export interface CursorScope {
  readonly workspaceId: string;
  readonly from: number | null;
  readonly to: number | null;
}

export interface Cursors {
  /** A cursor that continues after `postId`. */
  seal(postId: string, scope: CursorScope): string;
  /**
   * The Post after which the list continues; null for a cursor that is malformed, or of another list or installation.
   */
  open(cursor: string, scope: CursorScope): string | null;
}

const TAG_BYTES = 16;
const ID_BYTES = 16;
const CURSOR = /^[\w-]{43}$/;

/**
 * Cursors are the Post's id and a MAC of it and the scope under a key derived from the installation's `secret`,
 * base64url.
 */
export function createCursors(secret: string): Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'crier list cursors', 32));
  const tagOf = (id: Buffer, { workspaceId, from, to }: CursorScope) =>
    createHmac('sha256', key)
      .update(id)
      .update(JSON.stringify([workspaceId, from, to]))
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    seal(postId, scope) {
      const id = Buffer.from(postId.replaceAll('-', ''), 'hex');
      return Buffer.concat([id, tagOf(id, scope)]).toString('base64url');
    },
    open(cursor, scope) {
      if (!CURSOR.test(cursor)) return null;
      const bytes = Buffer.from(cursor, 'base64url');
      const id = bytes.subarray(0, ID_BYTES);
      // The last character has unused bits: only the spelling that `seal` returned is valid.
      if (bytes.toString('base64url') !== cursor || !timingSafeEqual(bytes.subarray(ID_BYTES), tagOf(id, scope)))
        return null;
      const postId = id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return isPostId(postId) ? postId : null;
    },
  };
}
