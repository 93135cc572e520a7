import { isPostId } from '#domain/post/ids.ts';
import { createSignedCursors } from './signed-cursors.ts';

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

/** Cursors of lists of Posts, signed under a key derived from the installation's `secret`; earlier ones open theirs. */
export function createCursors(secret: string, previousSecrets: readonly string[] = []): Cursors {
  const signed = createSignedCursors(secret, 'crier list cursors', previousSecrets);
  const scopeOf = ({ workspaceId, from, to }: CursorScope): readonly unknown[] => [workspaceId, from, to];
  return {
    seal: (postId, scope) => signed.seal(Buffer.from(postId.replaceAll('-', ''), 'hex'), scopeOf(scope)),
    open(cursor, scope) {
      const id = signed.open(cursor, scopeOf(scope));
      if (id === null) return null;
      const hex = Buffer.from(id).toString('hex');
      const postId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return isPostId(postId) ? postId : null;
    },
  };
}
