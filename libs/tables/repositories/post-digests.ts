import type { Key } from '#ports/table.ts';
import type { Post } from '#domain/post/post.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { POST_DIGESTS } from '../declarations/tables.ts';

/** By a Post's digest: the Post that a repeat within the 10-minute rule is answered with. */
export interface PostDigest {
  readonly postId: string;
  readonly createdAt: number;
}

export function digestRow(post: Post): { partition: Key; clustering: Key; value: PostDigest } {
  const value = { postId: post.id, createdAt: post.createdAt };
  return { partition: [post.workspaceId], clustering: [post.digest], value };
}

/** Null when the Workspace has no such Post, or its row's time is over. Rejects with `PortError`. */
export async function readPostDigest(
  store: TableStore,
  workspaceId: string,
  digest: string,
): Promise<PostDigest | null> {
  const row = await store.read(POST_DIGESTS, [workspaceId], [digest]);
  return row === null ? null : decodeBody<PostDigest>(row);
}
